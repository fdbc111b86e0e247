/** Routes of BIRD 2 and 3 as `show route all` prints them: a heading a path, the attributes indented below it. */
import type { SeenPath, SeenRoute } from './observation.js';

/** `fc00:1:1:3::/64  unicast [link1_1 10:35:26.719] * (100/1) [AS65101i]`; further paths of a prefix leave it out. */
const HEADING = /^(\S+\/\d+)?\s+unicast \[\S+ [^\]]*\]( \*)?/;
const VIA = /^\s+via \S+ on (\S+)/;
const COLOUR = /\(generic, 0x30b0000, (0x[0-9a-f]+|\d+)\)/i;
const AIGP = /^\s+(?:bgp\.|bgp_)aigp: (\d+)/i;

/** Only what came by BGP. */
export function readBirdRoutes(text: string): SeenRoute[] {
  const routes = new Map<string, SeenPath[]>();
  let prefix = '';
  let lines: string[] = [];
  const close = () => {
    const path = seenPath(lines);
    if (path) routes.set(prefix, [...(routes.get(prefix) ?? []), path]);
    lines = [];
  };
  for (const line of text.split('\n')) {
    const heading = HEADING.exec(line);
    if (heading) {
      close();
      prefix = heading[1] ?? prefix;
    }
    lines.push(line);
  }
  close();
  return [...routes].map(([key, paths]) => ({ prefix: key, paths }));
}

function seenPath(lines: readonly string[]): SeenPath | undefined {
  const via = lines.map((line) => VIA.exec(line)?.[1]).find((name) => name !== undefined);
  if (via === undefined || !lines.some((line) => /^\s+(bgp\.|bgp_)(as_path|path):/i.test(line))) return undefined;
  const colour = lines.map((line) => COLOUR.exec(line)?.[1]).find((value) => value !== undefined);
  return {
    interface: via,
    use: null,
    colour: colour === undefined ? null : Number(colour),
    aigp: lines.map((line) => AIGP.exec(line)?.[1]).find((value) => value !== undefined) ?? null,
    reason: null,
  };
}
