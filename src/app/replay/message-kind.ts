/** The names by which messages are listed, filtered and counted. */
import type { ReplayContent, ReplayEvent } from './replay-event.js';

export const MESSAGE_KINDS = [
  'open',
  'update',
  'notification',
  'keepalive',
  'route-refresh',
  'malformed',
  'rs',
  'ra',
  'ns',
  'na',
  'bfd',
  'syn',
  'syn-ack',
  'fin',
  'rst',
  'state',
  'note',
] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** Names that stand for several kinds in a filter. */
const GROUPS: Readonly<Record<string, readonly MessageKind[]>> = {
  bgp: ['open', 'update', 'notification', 'keepalive', 'route-refresh', 'malformed'],
  nd: ['rs', 'ra', 'ns', 'na'],
  tcp: ['syn', 'syn-ack', 'fin', 'rst'],
};

const ND_KINDS = {
  'router-solicitation': 'rs',
  'router-advertisement': 'ra',
  'neighbor-solicitation': 'ns',
  'neighbor-advertisement': 'na',
} as const;

/** `undefined` for events that are no message of their own. */
export function messageKind(content: ReplayContent): MessageKind | undefined {
  switch (content.kind) {
    case 'bgp':
      return content.message.kind === 'error' ? 'malformed' : content.message.kind;
    case 'nd':
      return ND_KINDS[content.message.kind];
    case 'tcp':
      return content.flag;
    case 'closed':
      return undefined;
    default:
      return content.kind;
  }
}

/** The kinds that `names` select, or the name that is none. No name selects all. */
export function kindFilter(names: readonly string[]): ReadonlySet<MessageKind> | string {
  const selected = new Set<MessageKind>();
  for (const name of names) {
    const group = GROUPS[name] ?? MESSAGE_KINDS.filter((kind) => kind === name);
    if (group.length === 0) return name;
    for (const kind of group) selected.add(kind);
  }
  return names.length === 0 ? new Set(MESSAGE_KINDS) : selected;
}

/** What a filter may name, for the message about a wrong one. */
export const FILTER_NAMES: readonly string[] = [...Object.keys(GROUPS), ...MESSAGE_KINDS];

/** The events of the selected kinds. */
export function filterEvents(events: readonly ReplayEvent[], kinds: ReadonlySet<MessageKind>): ReplayEvent[] {
  return events.filter(({ content }) => {
    const kind = messageKind(content);
    return kind !== undefined && kinds.has(kind);
  });
}
