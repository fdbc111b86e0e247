/**
 * The `lookup` of datagram sockets whose destinations are addresses: looked up at once, a datagram goes out during `send` and not a turn
 * later. (A connected socket would do that too, but loses a datagram to each ICMP error.)
 */
export function addressItself(
  address: string,
  _options: unknown,
  found: (error: null, address: string, family: number) => void,
): void {
  found(null, address, address.includes(':') ? 6 : 4);
}
