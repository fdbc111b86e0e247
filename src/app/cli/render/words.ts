/** Small values as words, the same in every command. */
import { colourName } from '../../config/colour-names.js';

/** `0.4s`, `42s`, `1m02s`, `3h04m`, `5d06h`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${(Math.floor(ms / 100) / 10).toFixed(1)}s`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${two(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours}h${two(minutes % 60)}m`;
  return `${Math.floor(hours / 24)}d${two(hours % 24)}h`;
}

/** `1 green`, `7`, or `-`. */
export function colourText(colour: number | null): string {
  if (colour === null) return '-';
  const name = colourName(colour);
  return name === undefined ? String(colour) : `${colour} ${name}`;
}

export function orDash(value: string | number | null): string {
  return value === null || value === '' ? '-' : String(value);
}

export function listOrDash(items: readonly string[], separator = ' '): string {
  return items.length === 0 ? '-' : items.join(separator);
}
