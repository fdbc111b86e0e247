/** A TCP connection of a hostile or measuring client to a router, and the octets that open a session over it. */
import { connect, type Socket } from 'node:net';
import { open } from '../simulator/hostile-peer.js';

export interface Ends {
  /** Link-local addresses with their zone. */
  readonly local: string;
  readonly remote: string;
}

export const BGP_PORT = 179;

export function dial({ local, remote }: Ends, connected: (socket: Socket) => void): Socket {
  const socket = connect({ host: remote, port: BGP_PORT, localAddress: local, noDelay: true });
  // What happens to it is seen at the other end; here a refusal is no news.
  socket.on('error', () => {});
  socket.on('connect', () => connected(socket));
  return socket;
}

/** Hold time 3 s, so that KEEPALIVEs come every second. */
export function shortOpen(identifier: number): Uint8Array {
  return open({ hold: 3, identifier });
}
