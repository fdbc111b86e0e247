/**
 * Kernel switches of a lab's nodes, as paths below /proc/sys/net. `default` reaches the interfaces that are added later. heddle sets
 * what it needs itself; the others do not.
 */
const COMMON = {
  'ipv6/conf/all/disable_ipv6': 0,
  'ipv6/conf/default/disable_ipv6': 0,
  // Duplicate address detection starts at once instead of within a random second (RFC 4862 section 5.4.2).
  'ipv6/conf/default/router_solicitation_delay': 0,
  'ipv4/conf/all/rp_filter': 0,
  'ipv4/conf/default/rp_filter': 0,
};

export type Switches = Readonly<Record<string, number>>;

export const ROUTER_SWITCHES: Switches = {
  ...COMMON,
  'ipv6/conf/all/forwarding': 1,
  'ipv6/conf/default/forwarding': 1,
  'ipv6/conf/default/accept_ra': 0,
  'ipv4/ip_forward': 1,
  'ipv6/fib_multipath_hash_policy': 1,
  'ipv4/fib_multipath_hash_policy': 1,
};

/** Hosts form their addresses from RAs, with EUI-64 interface identifiers whatever the machine's default is. */
export const HOST_SWITCHES: Switches = {
  ...COMMON,
  // A label of the kernel's own leaves a hash with the packet that no wire carries: over a veth it would be what all routers hash by.
  'ipv6/auto_flowlabels': 0,
  'ipv6/conf/all/forwarding': 0,
  'ipv6/conf/default/accept_ra': 1,
  'ipv6/conf/default/autoconf': 1,
  'ipv6/conf/default/addr_gen_mode': 0,
  // The kernel forms no more than 16 by itself: a leaf of 16 uplinks has one prefix too many beside the link-local address.
  'ipv6/conf/default/max_addresses': 1024,
};
