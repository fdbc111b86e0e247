/** Names of interfaces for what the FIB knows by index. */
import type { Speaker } from '../../core/speaker/speaker.js';

export function interfaceNames(speaker: Speaker): (index: number) => string {
  const names = new Map(speaker.fabricLinks.map((link) => [link.state?.index, link.config.name]));
  return (index) => names.get(index) ?? `if${index}`;
}
