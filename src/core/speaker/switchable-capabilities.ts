/** The capabilities (RFC 5492) with a switch of their own, by the name they have in the configuration. */
export const SWITCHABLE_CAPABILITIES = [
  'four-octet-as',
  'route-refresh',
  'enhanced-route-refresh',
  'extended-message',
  'extended-next-hop',
  'link-local-next-hop',
  'add-path',
  'fqdn',
] as const;
export type SwitchableCapability = (typeof SWITCHABLE_CAPABILITIES)[number];
