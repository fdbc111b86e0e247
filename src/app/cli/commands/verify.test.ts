import { describe, expect, it } from 'vitest';
import { CommandError } from '../exit-codes.js';
import { buildProgram } from '../program.js';

// Loaded before the tests: their time limits are not for that.
await buildProgram('verify');

/** What a command line is refused with. */
async function refusal(...parameters: readonly string[]): Promise<{ message: string; exitCode: number }> {
  try {
    await (await buildProgram('verify')).parseAsync(['verify', ...parameters], { from: 'user' });
  } catch (error) {
    if (error instanceof CommandError) return { message: error.message, exitCode: error.exitCode };
    throw error;
  }
  throw new Error('it was taken');
}

const DEMO = 'labs/demo.yaml';

describe('heddle verify refuses', () => {
  it.each([
    [[DEMO, '--fail', 'leaf1:spine9'], '--fail: there is no node spine9: did you mean spine1?'],
    [[DEMO, '--fail', 'leaf1:leaf2'], '--fail: there is no link between leaf1 and leaf2'],
    [[DEMO, '--lab', 'demo'], '--lab and a TOPOLOGY do not go together: with the file no lab is asked'],
    [[DEMO, '--dump', 'state'], '--dump writes what is seen of a lab: leave TOPOLOGY out'],
    [['--state', 'state'], '--state needs the TOPOLOGY that it is the state of'],
    [['--pcap', 'leaf1.pcap'], '--pcap needs the TOPOLOGY that was captured'],
    [[DEMO, '--predict', '--state', 'state'], '--predict and --state do not go together: the model looks at nothing'],
    [[DEMO, '--pcap', 'pcaps/none.pcap'], 'pcaps/none.pcap: no such file'],
    [
      [DEMO, '--pcap', 'pcaps/l-bfd.pcap'],
      'the captures show no routes at all, and nothing of topology demo, whose routers have identifiers such as 10.1.0.1',
    ],
    [[DEMO, '--state', 'labs'], 'labs/fabric.json is not there: no state that heddle verify --dump wrote'],
  ])('%j', async (parameters, message) => {
    expect(await refusal(...parameters)).toEqual({ message, exitCode: 2 });
  });
});
