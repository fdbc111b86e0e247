/** The control API's commands on a running daemon. */
import { commandNeighbours } from '../../core/speaker/neighbour-commands.js';
import type { Speaker } from '../../core/speaker/speaker.js';
import type { ControlCommands } from '../../edge/control/commands.js';
import type { Reloader } from './reloader.js';

export function controlCommands(speaker: Speaker, reloader: Reloader): ControlCommands {
  return {
    neighbor: (name, command) => commandNeighbours(speaker.sessionOwners, name, command),
    reload: () => reloader.reload(),
  };
}
