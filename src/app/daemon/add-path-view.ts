/** Path identifiers (RFC 7911) of a session, family by family and direction by direction. */
import { FAMILIES, type Family } from '../../core/net/family.js';
import type { Negotiated } from '../../core/session/types.js';
import type { SessionConfig } from '../../core/speaker/config.js';
import type { Neighbor } from '../../edge/control/schema.js';

type AddPath = Neighbor['addPath'][number];

/** Families that the session does not carry, and those that go without, are left out. */
export function addPathViews({ addPath = {} }: SessionConfig, negotiated: Negotiated | undefined): AddPath[] {
  const carried = FAMILIES.filter((family) => negotiated?.families.includes(family));
  return carried.flatMap((family) => {
    const { receive = false, send } = addPath[family] ?? {};
    if (!receive && send === undefined) return [];
    const paths = send === undefined || typeof send === 'string' ? (send ?? null) : `best ${send.best}`;
    return [
      {
        family,
        receive: direction(receive, negotiated?.addPathReceive, family),
        send: direction(send !== undefined, negotiated?.addPathSend, family),
        paths,
      },
    ];
  });
}

function direction(wanted: boolean, agreed: readonly Family[] | undefined, family: Family): AddPath['send'] {
  if (!wanted) return 'off';
  return agreed?.includes(family) ? 'agreed' : 'offered';
}
