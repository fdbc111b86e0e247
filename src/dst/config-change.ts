/** What a reload changes in a router's configuration file. */
import type { RouterFile } from './fabric-plan.js';
import type { ConfigChange } from './fault.js';

interface FilePrefix {
  readonly colour: number;
  readonly 'backup-colours'?: readonly number[];
}

/** Keys that are looked into, as the lab writes them. */
interface Sections {
  readonly advertise?: readonly object[];
  readonly hosts?: Readonly<Record<string, { readonly prefixes: readonly FilePrefix[] }>>;
  readonly fabric: Readonly<Record<string, object>>;
}

export function changedFile(file: RouterFile, change: ConfigChange): RouterFile {
  const { advertise = [], hosts = {}, fabric } = file as unknown as Sections;
  switch (change.kind) {
    case 'advertise':
      return { ...file, advertise: [...advertise, { prefix: change.prefix, colour: change.colour }] };
    case 'colours': {
      const entries = Object.entries(hosts).map(([name, host]) => [
        name,
        { ...host, prefixes: shifted(host.prefixes, change.shift) },
      ]);
      return { ...file, hosts: Object.fromEntries(entries) };
    }
    case 'reject': {
      const link = { ...fabric[change.interface], [change.way]: 'rejecting' };
      return {
        ...file,
        policies: { rejecting: [{ match: { prefixes: change.prefix }, action: 'reject' }, { action: 'accept' }] },
        fabric: { ...fabric, [change.interface]: link },
      };
    }
  }
}

function shifted(prefixes: readonly FilePrefix[], shift: number): FilePrefix[] {
  const colours = prefixes.map(({ colour }) => colour);
  return prefixes.map((prefix, index) => {
    const colour = colours[(index + shift) % colours.length]!;
    const backups = prefix['backup-colours'] && colours.filter((one) => one !== colour);
    return { ...prefix, colour, ...(backups && { 'backup-colours': backups }) };
  });
}
