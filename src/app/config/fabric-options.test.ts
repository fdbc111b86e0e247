/** The settings of a fabric interface that most files leave out. */
import { describe, expect, it } from 'vitest';
import type { FabricInterfaceConfig } from '../../core/speaker/config.js';
import { parseConfig } from './parse-config.js';

const withOptions = (options: string) =>
  parseConfig(`name: leaf1\nrole: leaf\nas: 65101\nfabric:\n  up: { colour: 1, ${options} }\n`);

function uplink(options: string): FabricInterfaceConfig {
  const { config, ...rest } = withOptions(options);
  if (!config) throw new Error(JSON.stringify(rest));
  return config.speaker.fabric[0]!;
}

function problems(options: string): string[] {
  const parsed = withOptions(options);
  return parsed.config ? [] : parsed.problems.map(({ message }) => message);
}

describe('capabilities', () => {
  it('are switched off one by one', () => {
    expect(uplink('capabilities: { fqdn: false, extended-message: true }').capabilitiesOff).toEqual(['fqdn']);
  });

  it('are those that there are', () => {
    expect(problems('capabilities: { fqdm: false }').join()).toMatch(/fqdm.*fqdn/);
    expect(problems('capabilities: { fqdn: 3 }').join()).toMatch(/capabilities\.fqdn: expected true or false/);
  });
});
