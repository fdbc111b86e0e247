/** Pictures for `--svg FILE`. */
import { writeFileSync } from 'node:fs';
import { drawFabric } from '../picture/draw-fabric.js';
import type { FabricPicture } from '../picture/fabric-picture.js';
import { CommandError } from './exit-codes.js';
import { complain } from './terminal.js';

export const SVG_HELP = 'draw it as a picture, for light and dark pages';

/** Throws CommandError when the file cannot be written. */
export function writePicture(file: string, picture: FabricPicture): void {
  try {
    writeFileSync(file, drawFabric(picture));
  } catch (error) {
    throw new CommandError(`${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
  complain([`picture in ${file}`]);
}
