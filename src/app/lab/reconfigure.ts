/** Other settings for a heddle router of a lab that runs: its file is changed, and read again by the daemon. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { reload } from '../../edge/control/command-client.js';
import { controlSocket, type Lab } from './lab.js';

/** Keys of the configuration take the place of those of the same name. Rejects with ControlError when the daemon does not take them. */
export async function reconfigure(lab: Lab, router: string, keys: Readonly<Record<string, unknown>>): Promise<void> {
  const file = join(lab.directory, `${router}.yaml`);
  const config: Record<string, unknown> = parse(readFileSync(file, 'utf8'));
  writeFileSync(file, stringify({ ...config, ...keys }));
  await reload(controlSocket(lab, router));
}
