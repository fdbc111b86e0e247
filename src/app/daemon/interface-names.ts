/** Names of interfaces for what the FIB knows by index. */
import type { Speaker } from '../../core/speaker/speaker.js';

export function interfaceNames({ configured }: Speaker): (index: number) => string {
  return (index) => configured.interfaceName(index) ?? `if${index}`;
}
