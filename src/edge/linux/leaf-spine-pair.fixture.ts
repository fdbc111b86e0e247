/** Two namespaces with one link between them, for tests of streams: `uplink` at the leaf, `downlink` at the spine. */
import { createNamespace, deleteNamespace, ip } from '../../../test/harness/netns.js';
import { type Address, parseAddress } from '../../core/net/address.js';

export class LeafSpinePair {
  constructor(
    readonly leaf: string,
    readonly spine: string,
  ) {}

  /** Addresses are usable at once: nobody looks for duplicates. */
  make(): void {
    const { leaf, spine } = this;
    for (const namespace of [leaf, spine]) {
      createNamespace(namespace);
      ip('netns', 'exec', namespace, 'sysctl', '-qw', 'net.ipv6.conf.default.accept_dad=0');
    }
    ip('-n', leaf, 'link', 'add', 'uplink', 'type', 'veth', 'peer', 'name', 'downlink', 'netns', spine);
    ip('-n', leaf, 'link', 'set', 'uplink', 'up');
    ip('-n', spine, 'link', 'set', 'downlink', 'up');
  }

  remove(): void {
    for (const namespace of [this.leaf, this.spine]) deleteNamespace(namespace);
  }

  /** The link-local addresses. */
  ends(): { leaf: Address; spine: Address } {
    return { leaf: linkLocal(this.leaf, 'uplink'), spine: linkLocal(this.spine, 'downlink') };
  }
}

function linkLocal(namespace: string, name: string): Address {
  const shown = ip('-n', namespace, '-6', 'addr', 'show', 'dev', name, 'scope', 'link');
  return parseAddress(/inet6 ([^/]+)\//.exec(shown)![1]!)!;
}
