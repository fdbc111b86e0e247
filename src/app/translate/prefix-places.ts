/** Where own prefixes belong: with the hosts' link whose address is in them, or by themselves. */
import { parseAddress } from '../../core/net/address.js';
import { formatPrefix, masked, parsePrefix } from '../../core/net/prefix.js';
import type { Statement } from './rules.js';
import type { Leftover } from './translation.js';

export interface LinkAddress {
  /** As heddle names it. */
  readonly link: string;
  /** ADDRESS/LENGTH. */
  readonly text: string;
  readonly at: Statement;
}

/** The prefix that an ADDRESS/LENGTH is in; undefined when it is none. */
export function prefixOf(text: string): string | undefined {
  const [written = '', length = ''] = text.split('/');
  const address = parseAddress(written);
  if (!address || !/^\d{1,3}$/.test(length) || Number(length) > address.length * 8) return undefined;
  return formatPrefix({ address: masked(address, Number(length)), length: Number(length) });
}

export function canonical(text: string): string {
  const parsed = parsePrefix(text);
  return parsed ? formatPrefix(parsed) : text;
}

/** Hosts form addresses in a /64; IPv4 leaves room for a router and a host. */
export function fitsHosts(prefix: string): boolean {
  const length = Number(prefix.split('/')[1]);
  return prefix.includes(':') ? length === 64 : length <= 30;
}

export function leftAddress({ link, text, at }: LinkAddress): Leftover {
  const why =
    "heddle gives addresses to hosts' links alone; this one stays with the system (ip addr, systemd-networkd)";
  return { line: at.line, text: at.text.includes(link) ? at.text : `${link}: ${at.text || text}`, why };
}
