/** Whose session `heddle policy test` is about: a neighbour of the file, or somebody on a fabric interface. */
import { isLinkLocal, parseAddress } from '../../../core/net/address.js';
import { acceptsAs, acceptsOnlyOwn } from '../../../core/net/as-number.js';
import type { PolicySession } from '../../../core/policy/compile-conditions.js';
import type { NeighbourConfig, SpeakerConfig } from '../../../core/speaker/config.js';
import { canonicalName } from '../../../core/speaker/neighbour-commands.js';
import { CommandError, EXIT_USAGE } from '../exit-codes.js';
import type { Side } from '../render/policy-test.js';

export interface PolicyPlace {
  readonly session: PolicySession;
  readonly side?: Side;
}

const NOBODY = new Uint8Array(0);

/** Throws CommandError when the file has nobody of this name. */
export function policyPlace(neighbor: string | undefined, speaker: SpeakerConfig): PolicyPlace {
  if (neighbor === undefined) return { session: { interfaceName: '', neighbour: NOBODY } };
  const configured = (speaker.neighbours ?? []).find(({ name }) => name === canonicalName(neighbor));
  const place = configured ? configuredPlace(configured, speaker) : fabricPlace(neighbor, speaker);
  if (place) return place;
  const known = [...speaker.fabric, ...(speaker.neighbours ?? [])].map(({ name }) => name).join(', ');
  throw new CommandError(`no neighbor ${neighbor} in the file; there is ${known}`, EXIT_USAGE);
}

function configuredPlace(neighbour: NeighbourConfig, speaker: SpeakerConfig): PolicyPlace {
  const { acceptRemoteAs, interfaceName = '', address, options } = neighbour;
  const own = options?.localAs?.asn ?? speaker.asn;
  const internal = acceptsAs(acceptRemoteAs, own, own);
  const external = !acceptsOnlyOwn(acceptRemoteAs, own);
  const side = internal && external ? 'either' : external ? 'external' : 'internal';
  return { session: { interfaceName, neighbour: address }, side };
}

/** Who will be heard on a fabric interface is in no file: any link-local address is somebody's there. */
function fabricPlace(neighbor: string, { fabric }: SpeakerConfig): PolicyPlace | undefined {
  const [written = '', zone] = neighbor.split('%', 2);
  const address = parseAddress(written);
  const link = address ? zone : neighbor;
  const isThere = link === undefined ? fabric.length > 0 : fabric.some(({ name }) => name === link);
  if (!isThere || (address && !isLinkLocal(address))) return undefined;
  return { session: { interfaceName: link ?? '', neighbour: address ?? NOBODY }, side: 'fabric' };
}
