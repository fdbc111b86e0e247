/**
 * Routes to UPDATEs for a monitoring station: routes that follow each other and share their attributes share a message. The
 * form is that of the session they came from (RFC 7854 section 4.6): its AS numbers and its path identifiers.
 */
import { type Family, familyOfAddress } from '../../net/family.js';
import type { Prefix } from '../../net/prefix.js';
import { encodeNextHop } from '../../wire/bgp/next-hop.js';
import type { PathAttributes } from '../../wire/bgp/path-attributes.js';
import { encodeAttributes, UpdateBuilder } from '../../wire/bgp/update-encoder.js';

export interface RouteForm {
  readonly fourOctetAs: boolean;
  readonly addPath: readonly Family[];
  /** Octets of the largest message. */
  readonly maximum: number;
}

/** A route of the router's own has no next hop. */
const UNSPECIFIED: Readonly<Record<Family, Uint8Array>> = {
  'ipv4-unicast': new Uint8Array(4),
  'ipv6-unicast': new Uint8Array(16),
};

export class RouteMessages {
  private readonly builders: Readonly<Record<Family, UpdateBuilder>>;
  private family: Family = 'ipv6-unicast';
  /** What the message under construction is about; `undefined` for withdrawals, `null` for nothing. */
  private attributes: PathAttributes | undefined | null = null;
  private building: UpdateBuilder | undefined;

  constructor(
    private readonly form: RouteForm,
    emit: (update: Uint8Array) => void,
  ) {
    const builder = (family: Family): UpdateBuilder =>
      new UpdateBuilder({ family, addPath: form.addPath.includes(family), maximum: form.maximum }, emit);
    this.builders = { 'ipv4-unicast': builder('ipv4-unicast'), 'ipv6-unicast': builder('ipv6-unicast') };
  }

  /** Without attributes the route is withdrawn. */
  add(prefix: Prefix, pathId: number, attributes: PathAttributes | undefined): void {
    const family = familyOfAddress(prefix.address);
    if (attributes !== this.attributes || family !== this.family) this.begin(family, attributes);
    this.building?.add(prefix.address, 0, prefix.length, pathId);
  }

  flush(): void {
    this.building?.flush();
    this.building = undefined;
    this.attributes = null;
  }

  private begin(family: Family, attributes: PathAttributes | undefined): void {
    this.flush();
    this.family = family;
    this.attributes = attributes;
    this.building = attributes ? this.announce(family, attributes) : this.builders[family];
    if (!attributes) this.building?.withdraw();
  }

  /** Attributes that fitted the session's message fit this one, which has the same form. */
  private announce(family: Family, attributes: PathAttributes): UpdateBuilder | undefined {
    const encoded = encodeAttributes(attributes, { fourOctetAs: this.form.fourOctetAs });
    const nextHop = encodeNextHop(attributes.nextHop ?? {}, 'single') ?? UNSPECIFIED[family];
    const builder = this.builders[family];
    return builder.announce(encoded, nextHop) ? builder : undefined;
  }
}
