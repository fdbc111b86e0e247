/**
 * A route told once more in an UPDATE with an error in it (RFC 7606), and what its hearer has of the route then. Errors and what is due for each
 * are the fuzzer's (src/fuzz/update-faults.ts).
 */
import { Dice } from '../fuzz/dice.js';
import { OctetWriter } from '../fuzz/octet-writer.js';
import { DUE, type JudgeContext } from '../fuzz/rfc7606-judge.js';
import { FLAGS_OF, type UpdateDraft, writeDraft } from '../fuzz/update-draft.js';
import { UPDATE_FAULTS, type UpdateFault } from '../fuzz/update-faults.js';

/** `told`: what was told, whole; `no-aigp`: the same without AIGP; `no-route`: nothing of it. A session that is reset has nothing at all. */
export type Heard = 'told' | 'no-aigp' | 'no-route';

export type Misheard = Exclude<Heard, 'told'>;

export interface BadUpdate {
  readonly message: Uint8Array;
  readonly heard: Heard;
}

const LARGEST = 4096;
const HEADER = 19;
const UPDATE = 2;
const MP_REACH = 14;
const AIGP = 26;
const IPV6 = '6/';
const SESSION: JudgeContext = {
  fourOctetAs: true,
  external: true,
  aigp: true,
  ipv4: false,
  ipv6: true,
  addPath: false,
};

/** Names of the errors; those with routes of their own in place of the one that is told say nothing of it. */
export const UPDATE_ERRORS: readonly string[] = UPDATE_FAULTS.filter(
  ({ target, due }) => target !== MP_REACH || due === DUE.reset,
).map(({ name }) => name);

/** `said` is as the ledger has it; absent when there is no such error, or it does not fit what was said. */
export function badUpdate(
  prefix: string,
  said: string,
  { error, seed }: { readonly error: string; readonly seed: number },
): BadUpdate | undefined {
  const fault = UPDATE_FAULTS.find(({ name }) => name === error);
  const draft = draftOf(prefix, said);
  if (!fault || !prefix.startsWith(IPV6) || fault.fits?.(draft, SESSION) === false) return undefined;
  const dice = new Dice(seed);
  fault.apply(draft, dice, SESSION);
  const body = new OctetWriter(LARGEST);
  writeDraft(draft, body, dice);
  return { message: framed(body.buffer.subarray(0, body.length)), heard: heardOf(fault) };
}

function heardOf({ due, target }: UpdateFault): Heard {
  if (due === DUE.withdraw) return 'no-route';
  return due === DUE.discard && target === AIGP ? 'no-aigp' : 'told';
}

function draftOf(prefix: string, said: string): UpdateDraft {
  const attributes = said.split(' ').map((text) => {
    const [type = '', value = ''] = text.split(':');
    const octets = Uint8Array.from(Buffer.from(value, 'hex'));
    return { flags: FLAGS_OF[Number(type)] ?? 0xc0, type: Number(type), value: octets };
  });
  const nlri = Buffer.from(prefix.slice(IPV6.length), 'hex');
  for (const one of attributes) if (one.type === MP_REACH) one.value = Uint8Array.from([...one.value, 0, ...nlri]);
  const lies = { withdrawn: 0, attributes: 0, lastAttribute: 0 };
  return { withdrawn: new Uint8Array(0), attributes, nlri: new Uint8Array(0), lies };
}

function framed(body: Uint8Array): Uint8Array {
  const message = new Uint8Array(HEADER + body.length).fill(0xff, 0, 16);
  message.set([message.length >> 8, message.length & 0xff, UPDATE], 16);
  message.set(body, HEADER);
  return message;
}
