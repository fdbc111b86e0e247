/**
 * Master keys of TCP-AO (RFC 5925) for the kernel: struct tcp_ao_add and struct tcp_ao_del of linux/tcp.h, Linux 6.7 and newer. A key
 * on a listener holds from the SYN on and for the streams that come of it; segments without a MAC from that address are dropped.
 */
import { type Address, parseAddress } from '../../core/net/address.js';
import type { AuthenticationKey } from '../../core/ports/transport.js';
import { closeSocket, setTcpOption, socketAddress, streamSocket } from './tcp-socket.js';

const TCP_AO_ADD_KEY = 38;
const TCP_AO_DEL_KEY = 39;
const ADD = {
  octets: 288,
  algorithm: 128,
  prefix: 202,
  sendId: 203,
  receiveId: 204,
  macLength: 205,
  keyLength: 207,
  key: 208,
};
const DEL = { octets: 144, prefix: 138, sendId: 139, receiveId: 140 };
/** RFC 5926 sections 3.2.1 and 3.2.2, under the names of the kernel. */
const ALGORITHMS: Readonly<Record<AuthenticationKey['algorithm'], string>> = {
  'hmac-sha-1-96': 'hmac(sha1)',
  'aes-128-cmac-96': 'cmac(aes128)',
};
/** Octets of 96 bits. */
const MAC_OCTETS = 12;

/** struct tcp_ao_add. */
export function addedKey(remote: Address, { algorithm, sendId, receiveId, password }: AuthenticationKey): Uint8Array {
  const option = new Uint8Array(ADD.octets);
  const secret = new TextEncoder().encode(password);
  option.set(socketAddress(remote, 0));
  option.set(new TextEncoder().encode(ALGORITHMS[algorithm]), ADD.algorithm);
  option[ADD.prefix] = remote.length * 8;
  option[ADD.sendId] = sendId;
  option[ADD.receiveId] = receiveId;
  option[ADD.macLength] = MAC_OCTETS;
  option[ADD.keyLength] = secret.length;
  option.set(secret, ADD.key);
  return option;
}

/** struct tcp_ao_del. */
export function deletedKey(remote: Address, { sendId, receiveId }: AuthenticationKey): Uint8Array {
  const option = new Uint8Array(DEL.octets);
  option.set(socketAddress(remote, 0));
  option[DEL.prefix] = remote.length * 8;
  option[DEL.sendId] = sendId;
  option[DEL.receiveId] = receiveId;
  return option;
}

export function addAuthenticationKey(fd: number, remote: Address, key: AuthenticationKey): void {
  try {
    setTcpOption(fd, TCP_AO_ADD_KEY, addedKey(remote, key));
  } catch (error) {
    throw new Error(refusal(error), { cause: error });
  }
}

/** Of a listener; streams that are there keep theirs. */
export function deleteAuthenticationKey(fd: number, remote: Address, key: AuthenticationKey): void {
  try {
    setTcpOption(fd, TCP_AO_DEL_KEY, deletedKey(remote, key));
  } catch {
    // It was never there: adding it failed, and that was told.
  }
}

/** Why the kernel does not take such a key, found by giving it one; `undefined` when it does. */
export function authenticationObstacle(key: AuthenticationKey): string | undefined {
  const address = parseAddress('fe80::1')!;
  const fd = streamSocket(address);
  try {
    addAuthenticationKey(fd, address, key);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    closeSocket(fd);
  }
}

function refusal(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOPROTOOPT')
    return 'the kernel has no TCP-AO (RFC 5925): Linux 6.7 or newer has it, where CONFIG_TCP_AO is set';
  if (code === 'ENOENT') return 'the kernel lacks the algorithm of the TCP-AO key';
  return `the kernel takes no TCP-AO key: ${error instanceof Error ? error.message : String(error)}`;
}
