/**
 * Kernel switches of an interface that must stand right before routers are discovered on it: set, or only checked where the
 * configuration forbids to touch them.
 */
import { type InterfaceKind, wantedSwitches } from '../discovery/usable.js';
import type { SpeakerConfig } from './config.js';
import type { SpeakerPorts } from './speaker-ports.js';

/** Sets what differs; each thing that stays wrong is one log line with the reason it matters. */
export function prepareSwitches(
  ports: SpeakerPorts,
  config: SpeakerConfig,
  link: { readonly name: string; readonly kind: InterfaceKind },
): void {
  for (const { name, value, optional, alsoFine, why } of wantedSwitches(link.kind)) {
    const current = ports.links.readSwitch(link.name, name);
    if (current === undefined || current === value || alsoFine?.includes(current)) continue;
    const problem = config.manageSwitches
      ? trySet(() => ports.links.writeSwitch(link.name, name, value))
      : 'not to be changed by heddle';
    if (problem === undefined || optional) continue;
    ports.log.write({
      level: 'error',
      topic: 'discovery',
      message: `${link.name}: ${name} is ${current} and must be ${value} (${why}): ${problem}`,
    });
  }
}

function trySet(set: () => void): string | undefined {
  try {
    set();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
