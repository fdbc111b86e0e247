import { describe, expect, it } from 'vitest';
import { parseConfig } from './parse-config.js';

const BASE = 'name: leaf1\nrole: leaf\nas: 65101\n';

function speaker(text: string) {
  const parsed = parseConfig(`${BASE}${text}`);
  if (parsed.config) return parsed.config.speaker;
  throw new Error(parsed.problems.map(({ message }) => message).join('; '));
}

describe('graceful-restart', () => {
  it('is none unless it is asked for', () => {
    const { fabric, restarter } = speaker('fabric: { up: {} }\n');
    expect([fabric[0]?.restartHelper, restarter]).toEqual([undefined, undefined]);
  });

  it('holds for all interfaces, less what one of them says instead', () => {
    const common = 'graceful-restart: { helper: true, restart-time: 60, long-lived: 600 }\n';
    const { fabric } = speaker(
      `${common}fabric: { a: {}, b: { graceful-restart: { helper: false } }, c: { graceful-restart: { restart-time: 5 } } }\n`,
    );
    expect(fabric.map(({ restartHelper }) => restartHelper)).toEqual([
      { longest: 60, longLived: 600 },
      undefined,
      { longest: 5, longLived: 600 },
    ]);
  });

  it('makes a restarter, with defaults', () => {
    expect(speaker('graceful-restart: { restarter: true }\nfabric: { up: {} }\n').restarter).toEqual({
      restartTime: 120,
      longLived: 0,
      selectionDeferral: 60,
    });
  });

  it('has a restart time that fits 12 bits (RFC 4724 section 3)', () => {
    expect(() => speaker('graceful-restart: { restart-time: 4096 }\nfabric: { up: {} }\n')).toThrow(/4095/);
  });
});
