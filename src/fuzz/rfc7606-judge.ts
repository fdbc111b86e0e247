/**
 * What RFC 7606 makes of an UPDATE, as a second opinion: written from the RFC's text alone, it shares nothing with the decoders it
 * judges. A table says what each attribute must look like and what is due otherwise (sections 3 and 7); one walk over the octets
 * applies it. Where the RFCs leave a choice the verdict says so.
 */

/** In rising order of severity (section 2); AFI/SAFI disable counts as a reset, which heddle makes of it. */
export const DUE = { nothing: 0, discard: 1, withdraw: 2, reset: 3 } as const;
export const DUE_NAMES = ['accepted', 'attribute discard', 'treat-as-withdraw', 'session reset'] as const;

/** How the session was negotiated. */
export interface JudgeContext {
  readonly fourOctetAs: boolean;
  readonly external: boolean;
  readonly aigp: boolean;
  readonly ipv4: boolean;
  readonly ipv6: boolean;
  /** Path identifiers precede the prefixes (RFC 7911). */
  readonly addPath: boolean;
  /** What heddle tells: a sum beyond the largest metric stays at it (RFC 7311 section 3.4), which is nothing wrong to say, though section 3 has it discarded when heard. */
  readonly told?: boolean;
}

/** Prefixes found, each as one number that stands for family, length, address and path identifier. */
export class PrefixList {
  keys = new Float64Array(64);
  /** 1 for IPv4. */
  ipv4 = new Uint8Array(64);
  count = 0;

  add(key: number, ipv4: boolean): void {
    if (this.count === this.keys.length) this.grow();
    this.ipv4[this.count] = ipv4 ? 1 : 0;
    this.keys[this.count++] = key;
  }

  private grow(): void {
    const keys = new Float64Array(this.count * 2);
    const ipv4 = new Uint8Array(this.count * 2);
    keys.set(this.keys);
    ipv4.set(this.ipv4);
    this.keys = keys;
    this.ipv4 = ipv4;
  }
}

/** What an attribute's first appearance has to be in the routes. */
export const KEEP = { absent: 0, kept: 1, dropped: 2 } as const;

export class Verdict {
  due: number = DUE.nothing;
  /** A bit for each subcode that a reset may carry, as several faults may each ask for one. */
  subcodes = 0;
  /** The RFCs allow what is due, and to ignore the message as well. */
  mayIgnore = false;
  /** AFI of the End-of-RIB that this is (RFC 4724 section 2); 0 when it is none. */
  endOfRib = 0;
  /** The findings as one number, and a number for each of them: inputs are told apart by these. */
  pattern = 0;
  readonly findings: number[] = [];
  /** By attribute type: KEEP. */
  readonly attributes = new Uint8Array(256);
  /** In an UPDATE that resets nothing, in the order in which they apply. */
  readonly withdrawn = new PrefixList();
  readonly announced = new PrefixList();
  /** Routes that are used stand in the classic field, and in MP_REACH_NLRI. */
  classic = false;
  multiprotocol = false;

  reset(): void {
    this.due = DUE.nothing;
    this.subcodes = 0;
    this.mayIgnore = false;
    this.endOfRib = 0;
    this.pattern = 0;
    this.findings.length = 0;
    this.attributes.fill(KEEP.absent);
    this.withdrawn.count = this.announced.count = 0;
    this.classic = this.multiprotocol = false;
  }
}

const OPTIONAL = 0x80;
const TRANSITIVE = 0x40;
const EXTENDED = 0x10;

const ORIGIN = 1;
const AS_PATH = 2;
const NEXT_HOP = 3;
const LOCAL_PREF = 5;
const MP_REACH = 14;
const MP_UNREACH = 15;

/** Nothing wrong, or a subcode and what is due. */
type Finding = number;
const FINE: Finding = 0;
const finding = (due: number, subcode: number): Finding => (due << 8) | subcode;

interface Octets {
  readonly body: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly context: JudgeContext;
}

interface Rule {
  readonly flags: number;
  /** Where its own specification wants another handling of wrong flags than section 3 (c). */
  readonly flagsDue?: number;
  /** Discarded in this kind of session, whatever is in it. */
  readonly useless?: (context: JudgeContext) => boolean;
  readonly check: (value: Octets) => Finding;
}

const lengthOf = ({ start, end }: Octets): number => end - start;
const exactly =
  (length: number, wrong: Finding) =>
  (value: Octets): Finding =>
    lengthOf(value) === length ? FINE : wrong;
const multipleOf =
  (size: number) =>
  (value: Octets): Finding =>
    lengthOf(value) > 0 && lengthOf(value) % size === 0 ? FINE : finding(DUE.withdraw, 9);

const BAD_LENGTH = finding(DUE.withdraw, 5);
const WELL_KNOWN = TRANSITIVE;
const PASSED_ON = OPTIONAL | TRANSITIVE;
const fromOutside = ({ external }: JudgeContext): boolean => external;
const knowsFourOctets = ({ fourOctetAs }: JudgeContext): boolean => fourOctetAs;

const RULES: Readonly<Record<number, Rule>> = {
  // Section 7.1.
  [ORIGIN]: {
    flags: WELL_KNOWN,
    check: (value) =>
      lengthOf(value) !== 1 ? BAD_LENGTH : value.body[value.start]! > 2 ? finding(DUE.withdraw, 6) : FINE,
  },
  // Section 7.2, RFC 7607, RFC 9774 section 3 and, as heddle is in no confederation, RFC 5065 section 5.
  [AS_PATH]: {
    flags: WELL_KNOWN,
    check: (value) => {
      const size = value.context.fourOctetAs ? 4 : 2;
      return isPath(value, size) && !holdsSet(value, size) ? FINE : finding(DUE.withdraw, 11);
    },
  },
  // Section 7.3, RFC 4271 section 6.3 and RFC 6890: not the address of a host.
  [NEXT_HOP]: {
    flags: WELL_KNOWN,
    check: (value) => {
      const first = value.body[value.start]!;
      if (lengthOf(value) !== 4) return BAD_LENGTH;
      return first === 0 || first === 127 || first > 223 ? finding(DUE.withdraw, 8) : FINE;
    },
  },
  // Sections 7.4 to 7.7.
  4: { flags: OPTIONAL, check: exactly(4, BAD_LENGTH) },
  [LOCAL_PREF]: { flags: WELL_KNOWN, useless: fromOutside, check: exactly(4, BAD_LENGTH) },
  6: { flags: WELL_KNOWN, check: exactly(0, finding(DUE.discard, 5)) },
  7: {
    flags: PASSED_ON,
    check: (value) => (isAggregator(value, value.context.fourOctetAs ? 4 : 2) ? FINE : finding(DUE.discard, 9)),
  },
  // Sections 7.8 to 7.10.
  8: { flags: PASSED_ON, check: multipleOf(4) },
  9: { flags: OPTIONAL, useless: fromOutside, check: exactly(4, BAD_LENGTH) },
  10: { flags: OPTIONAL, useless: fromOutside, check: multipleOf(4) },
  // Section 7.14.
  16: { flags: PASSED_ON, check: multipleOf(8) },
  // RFC 6793 sections 4.1 and 6.
  17: {
    flags: PASSED_ON,
    flagsDue: DUE.discard,
    useless: knowsFourOctets,
    check: (value) => {
      if (!isPath(value, 4)) return finding(DUE.discard, 9);
      return holdsSet(value, 4) ? finding(DUE.withdraw, 11) : FINE;
    },
  },
  18: {
    flags: PASSED_ON,
    flagsDue: DUE.discard,
    useless: knowsFourOctets,
    check: (value) => (isAggregator(value, 4) ? FINE : finding(DUE.discard, 9)),
  },
  // Section 7.15.
  25: { flags: PASSED_ON, check: multipleOf(20) },
  // RFC 7311 section 3.
  26: {
    flags: OPTIONAL,
    flagsDue: DUE.discard,
    useless: ({ aigp }) => !aigp,
    check: (value) => (isAigp(value, value.context.told === true) ? FINE : finding(DUE.discard, 9)),
  },
  // RFC 8092 section 6.
  32: { flags: PASSED_ON, check: multipleOf(12) },
  // draft-ietf-idr-nhc.
  39: {
    flags: PASSED_ON,
    flagsDue: DUE.discard,
    check: (value) => (isCharacteristics(value) ? FINE : finding(DUE.discard, 9)),
  },
};

/** By type: a table of 256 is quicker than a record. */
const RULE_OF: readonly (Rule | undefined)[] = Array.from({ length: 256 }, (_, type) => RULES[type]);

const number16 = (body: Uint8Array, at: number): number => body[at]! * 256 + body[at + 1]!;

/** Of what is a path. */
function holdsSet({ body, start, end }: Octets, size: 2 | 4): boolean {
  for (let at = start; at < end; at += 2 + body[at + 1]! * size) if (body[at] === 1) return true;
  return false;
}

function isPath({ body, start, end }: Octets, size: 2 | 4): boolean {
  let at = start;
  while (at < end) {
    if (at + 2 > end) return false;
    const kind = body[at]!;
    const count = body[at + 1]!;
    at += 2;
    if ((kind !== 1 && kind !== 2) || count === 0 || at + count * size > end) return false;
    for (let left = count; left > 0; left--, at += size) {
      let any = 0;
      for (let i = 0; i < size; i++) any |= body[at + i]!;
      if (any === 0) return false;
    }
  }
  return true;
}

function isAggregator({ body, start, end }: Octets, size: 2 | 4): boolean {
  if (end - start !== size + 4) return false;
  let any = 0;
  for (let i = 0; i < size; i++) any |= body[start + i]!;
  return any !== 0;
}

function isAigp({ body, start, end }: Octets, infiniteToo: boolean): boolean {
  let metric = -1;
  let at = start;
  while (at < end) {
    if (at + 3 > end) return false;
    const length = number16(body, at + 1);
    if (length < 3 || at + length > end) return false;
    if (body[at] === 1 && metric === -1) {
      if (length !== 11) return false;
      metric = at + 3;
    }
    at += length;
  }
  if (metric === -1) return false;
  if (infiniteToo) return true;
  for (let i = 0; i < 8; i++) if (body[metric + i] !== 0xff) return true;
  return false;
}

function isCharacteristics({ body, start, end }: Octets): boolean {
  if (end - start < 4) return false;
  let at = start + 4 + body[start + 3]!;
  while (at < end) {
    if (at + 4 > end) return false;
    at += 4 + number16(body, at + 2);
  }
  return at === end;
}

/** Judges one UPDATE at a time; the verdict is used again for the next. */
export class Rfc7606Judge {
  readonly verdict = new Verdict();
  private context!: JudgeContext;
  private body!: Uint8Array;
  /** Ranges of the fields; start 0 where there is none. */
  private reachAfi = 0;
  private reachSafi = 0;
  private reachHop = 0;
  private reachHopEnd = 0;
  private reachRoutes = 0;
  private reachEnd = 0;
  private unreachAfi = 0;
  private unreachSafi = 0;
  private unreachRoutes = 0;
  private unreachEnd = 0;
  private nlri = 0;
  private attributeCount = 0;

  judge(body: Uint8Array, context: JudgeContext): Verdict {
    const { verdict } = this;
    verdict.reset();
    this.context = context;
    this.body = body;
    this.reachHop = this.reachRoutes = this.reachEnd = this.unreachRoutes = this.unreachEnd = 0;
    this.reachAfi = this.unreachAfi = 0;
    this.attributeCount = 0;
    if (body.length < 4) return this.reset(1);
    const withdrawnEnd = 2 + number16(body, 0);
    if (withdrawnEnd + 2 > body.length) return this.reset(1);
    const attributesEnd = withdrawnEnd + 2 + number16(body, withdrawnEnd);
    if (attributesEnd > body.length) return this.reset(1);
    this.nlri = attributesEnd;
    this.walkAttributes(withdrawnEnd + 2, attributesEnd);
    this.judgeMandatory();
    this.judgeRoutes(withdrawnEnd);
    return verdict;
  }

  private get hasClassic(): boolean {
    return this.nlri < this.body.length;
  }

  private get hasReach(): boolean {
    return this.reachRoutes < this.reachEnd;
  }

  private reset(subcode: number): Verdict {
    this.note(finding(DUE.reset, subcode));
    return this.verdict;
  }

  /** `type` is that of the attribute, where it is one. */
  private note(found: Finding, type = 0): void {
    const { verdict } = this;
    const feature = found * 256 + type;
    verdict.pattern = Math.imul(verdict.pattern ^ feature, 0x5bd1e995) >>> 0;
    verdict.findings.push(feature);
    verdict.due = Math.max(verdict.due, found >> 8);
    // With nothing to withdraw, withdrawing becomes a reset with the same subcode.
    if (found >> 8 >= DUE.withdraw) verdict.subcodes |= 1 << (found & 0xff);
  }

  private walkAttributes(from: number, end: number): void {
    const { body, verdict } = this;
    let at = from;
    while (at < end) {
      this.attributeCount++;
      const header = (body[at]! & EXTENDED) === 0 ? 3 : 4;
      const known = at + header <= end;
      const length = !known ? 0 : header === 3 ? body[at + 2]! : number16(body, at + 2);
      if (!known || at + header + length > end) return this.judgeOverrun(known ? body[at + 1]! : -1);
      const type = body[at + 1]!;
      if (verdict.attributes[type] !== KEEP.absent) this.judgeAgain(type);
      else this.judgeAttribute(at, at + header, at + header + length);
      at += header + length;
    }
  }

  /** Section 4: what was found can be withdrawn; routes that are cut off themselves cannot. */
  private judgeOverrun(type: number): void {
    const lost = type === MP_REACH || type === MP_UNREACH;
    this.note(finding(lost || !(this.hasClassic || this.hasReach) ? DUE.reset : DUE.withdraw, 1));
  }

  /** Section 3 (g). */
  private judgeAgain(type: number): void {
    const isFatal = type === MP_REACH || type === MP_UNREACH;
    this.note(finding(isFatal ? DUE.reset : DUE.discard, 1), type);
  }

  private judgeAttribute(at: number, start: number, end: number): void {
    const { body, verdict, context } = this;
    const type = body[at + 1]!;
    const flags = body[at]! & 0xc0;
    verdict.attributes[type] = KEEP.dropped;
    if (type === MP_REACH || type === MP_UNREACH) return this.judgeMultiprotocol(type, flags, start, end);
    const rule = RULE_OF[type];
    if (!rule) {
      // RFC 4271 section 6.3, and section 5: optional ones are passed on or dropped.
      if ((flags & OPTIONAL) === 0) this.note(finding(DUE.reset, 2));
      else if ((flags & TRANSITIVE) !== 0) verdict.attributes[type] = KEEP.kept;
      return;
    }
    const found = judgeValue(rule, flags, { body, start, end, context });
    if (found === FINE) verdict.attributes[type] = KEEP.kept;
    // RFC 4760 section 3: without classic routes it is ignored, whatever it holds. They may be known only by the length fields.
    else if (type === NEXT_HOP && !this.hasClassic) verdict.attributes[type] = KEEP.dropped;
    else this.note(found, type);
  }

  private judgeMultiprotocol(type: number, flags: number, start: number, end: number): void {
    const { body } = this;
    if (flags !== OPTIONAL) this.note(finding(DUE.withdraw, 4), type);
    const minimum = type === MP_REACH ? 5 : 3;
    const hopEnd = type === MP_REACH ? start + 4 + body[start + 3]! : start;
    // Section 5.3 and RFC 4760 section 7.
    if (end - start < minimum || hopEnd + (type === MP_REACH ? 1 : 0) > end)
      return this.note(finding(DUE.reset, 9), type);
    if (type === MP_REACH) {
      this.reachAfi = number16(body, start);
      this.reachSafi = body[start + 2]!;
      this.reachHop = start + 4;
      this.reachHopEnd = hopEnd;
      this.reachRoutes = hopEnd + 1;
      this.reachEnd = end;
    } else {
      this.unreachAfi = number16(body, start);
      this.unreachSafi = body[start + 2]!;
      this.unreachRoutes = start + 3;
      this.unreachEnd = end;
    }
  }

  private isAgreed(afi: number, safi: number): boolean {
    if (safi !== 1) return false;
    return afi === 1 ? this.context.ipv4 : afi === 2 ? this.context.ipv6 : false;
  }

  /** Section 3 (d), and the next hop of MP_REACH_NLRI (section 7.11). */
  private judgeMandatory(): void {
    const { attributes } = this.verdict;
    if (this.hasReach && this.isAgreed(this.reachAfi, this.reachSafi)) this.judgeReachHop();
    if (!this.hasClassic && !this.hasReach) return;
    const missing = (type: number) => attributes[type] === KEEP.absent;
    const internal = !this.context.external;
    if (missing(ORIGIN) || missing(AS_PATH) || (internal && missing(LOCAL_PREF))) this.note(finding(DUE.withdraw, 3));
    if (this.hasClassic && missing(NEXT_HOP)) this.note(finding(DUE.withdraw, 3));
  }

  private judgeReachHop(): void {
    const { body, reachHop, reachHopEnd } = this;
    const length = reachHopEnd - reachHop;
    const known = length === 16 || length === 32 || (length === 4 && this.reachAfi === 1);
    if (!known) return this.note(finding(DUE.reset, 9));
    let isZero = true;
    for (let at = reachHop; at < Math.min(reachHop + 16, reachHopEnd); at++) isZero &&= body[at] === 0;
    // `::` with a link-local address behind it is how BIRD says that there is no global one.
    const second = reachHop + 16;
    const linkLocal = length === 32 && body[second] === 0xfe && (body[second + 1]! & 0xc0) === 0x80;
    if (isZero && !linkLocal) this.note(finding(DUE.withdraw, 8));
  }

  /** Section 5.2, then the prefixes themselves (section 5.3). */
  private judgeRoutes(withdrawnEnd: number): void {
    const { verdict, context, body } = this;
    if (this.attributeCount > 0 && verdict.due === DUE.withdraw && !this.hasClassic && !this.hasReach)
      verdict.due = DUE.reset;
    const classicAgreed = context.ipv4;
    const reachAgreed = this.isAgreed(this.reachAfi, this.reachSafi);
    const unreachAgreed = this.isAgreed(this.unreachAfi, this.unreachSafi);
    // RFC 4760 section 8: routes that were not agreed on are nobody's; whether the rest of such a message is looked at is left open.
    if (this.hasReach && !reachAgreed && !this.hasClassic) verdict.mayIgnore = true;
    if (this.hasClassic && !classicAgreed && !(this.hasReach && reachAgreed)) verdict.mayIgnore = true;
    const goOn = verdict.due < DUE.withdraw;
    if (classicAgreed) this.readPrefixes(2, withdrawnEnd, true, verdict.withdrawn);
    if (unreachAgreed) this.readPrefixes(this.unreachRoutes, this.unreachEnd, this.unreachAfi === 1, verdict.withdrawn);
    if (reachAgreed)
      this.readPrefixes(
        this.reachRoutes,
        this.reachEnd,
        this.reachAfi === 1,
        goOn ? verdict.announced : verdict.withdrawn,
      );
    if (classicAgreed) this.readPrefixes(this.nlri, body.length, true, goOn ? verdict.announced : verdict.withdrawn);
    verdict.multiprotocol = this.hasReach && reachAgreed && goOn;
    verdict.classic = this.hasClassic && classicAgreed && goOn;
    this.noteEndOfRib(withdrawnEnd);
  }

  private noteEndOfRib(withdrawnEnd: number): void {
    const { body, verdict } = this;
    if (body.length === 4) verdict.endOfRib = 1;
    const alone = this.attributeCount === 1 && withdrawnEnd === 2 && !this.hasClassic;
    const empty = this.unreachRoutes > 0 && this.unreachRoutes === this.unreachEnd;
    if (alone && empty && verdict.due === DUE.nothing && this.unreachSafi === 1 && this.unreachAfi <= 2)
      verdict.endOfRib = this.unreachAfi;
  }

  private readPrefixes(start: number, end: number, ipv4: boolean, into: PrefixList): void {
    const { body } = this;
    const most = ipv4 ? 32 : 128;
    let at = start;
    while (at < end) {
      const bitsAt = this.context.addPath ? at + 4 : at;
      const bits = bitsAt < end ? body[bitsAt]! : most + 1;
      const next = bitsAt + 1 + Math.ceil(bits / 8);
      if (bits > most || next > end) return this.note(finding(DUE.reset, 10));
      into.add(this.prefixKey(at, bitsAt, ipv4), ipv4);
      at = next;
    }
  }

  /** 53 bits of two hashes over path identifier, length and the bits that count. */
  private prefixKey(from: number, bitsAt: number, ipv4: boolean): number {
    const { body } = this;
    const bits = body[bitsAt]!;
    let low = ipv4 ? 4 : 6;
    let high = 0x9747b28c;
    for (let at = from; at <= bitsAt + (bits >> 3); at++) {
      low = Math.imul(low ^ body[at]!, 0x01000193);
      high = Math.imul(high ^ body[at]!, 0x5bd1e995);
    }
    if ((bits & 7) !== 0) {
      const last = body[bitsAt + 1 + (bits >> 3)]! & (0xff00 >> (bits & 7));
      low = Math.imul(low ^ last, 0x01000193);
      high = Math.imul(high ^ last, 0x5bd1e995);
    }
    high ^= high >>> 15;
    return (low >>> 0) * 0x20_0000 + (high >>> 11);
  }
}

function judgeValue(rule: Rule, flags: number, value: Octets): Finding {
  if (rule.useless?.(value.context)) return finding(DUE.discard, 9);
  if (flags !== rule.flags) return finding(rule.flagsDue ?? DUE.withdraw, 4);
  return rule.check(value);
}
