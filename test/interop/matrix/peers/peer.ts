/** What every driver of a peer offers: configure, start, ask, tell, stop. A kind is a program; a version of it is a root file system. */
import type { Addressing, PeerLink } from '../plan.js';

/**
 * What a configuration may ask for. Each is tried alone with the peer's own checker first: what it refuses is left out, and its
 * complaint is why a cell says no.
 */
export const KNOBS = [
  'extended-next-hop',
  'extended-message',
  'aigp',
  'add-path',
  'md5',
  'gtsm',
  'bfd',
  'graceful-restart',
] as const;
export type Knob = (typeof KNOBS)[number];

export interface PeerContext {
  readonly addressing: Addressing;
  readonly namespace: string;
  /** Files of this row; the peer sees it as /lab. */
  readonly folder: string;
  /** Runs a program of the peer's root file system to its end. */
  readonly run: (...command: string[]) => Promise<{ readonly status: number; readonly output: string }>;
  /** Starts one that stays; it logs to NAME.log in the folder. */
  readonly launch: (name: string, ...command: string[]) => Promise<void>;
  /** The same of a program that is no part of the peer, of the newest root file system. */
  readonly assist: (name: string, ...command: string[]) => Promise<void>;
  /** SIGKILL, and waits for the end. */
  readonly kill: (name: string) => Promise<void>;
  /** What a program that was launched has said so far. */
  readonly log: (name: string) => string;
  /** The peers' root file system as this machine sees it. */
  readonly root: string;
}

/** What is asked for now, and which routes of its own the peer has. */
export interface PeerConfig {
  readonly knobs: ReadonlySet<Knob>;
  readonly ipv6: readonly string[];
  readonly ipv4: readonly string[];
}

export interface PeerPath {
  readonly link: PeerLink;
  readonly colours: readonly number[];
  /** How it shows an extended community that it has no name for. */
  readonly unnamed?: string;
  readonly aigp?: string;
  /** Why the peer does not use it; absent when it does, or could. */
  readonly unusable?: string;
}

export interface Peer {
  /** What the peer's checker says about a configuration; `undefined` when it takes it. */
  complaint(config: PeerConfig): Promise<string | undefined>;
  /** `restarting` after `kill`. Resolves once it can be asked. */
  start(config: PeerConfig, restarting: boolean): Promise<void>;
  /** Ends the BGP speaker without a word; forwarding goes on where the peer has that apart. */
  kill(): Promise<void>;
  /** Leaves nothing in the root file system. */
  clean(): void;
  established(link: PeerLink): Promise<boolean>;
  paths(prefix: string): Promise<readonly PeerPath[]>;
  withdraw(prefix: string): Promise<void>;
  /** Asks for all routes of a link again. */
  refresh(link: PeerLink): Promise<void>;
  /** What the peer says of a ROUTE-REFRESH that it does not answer. */
  refusedRefresh?(link: PeerLink): Promise<string | undefined>;
  /** What the peer shows of how a session ended. */
  lastError(link: PeerLink): Promise<string>;
  /** Ends a session with a text for the other side (RFC 9003). */
  shutdown(link: PeerLink, text: string): Promise<void>;
  /** The state of BFD on the link of that name. */
  bfd(): Promise<string>;
}

export interface PeerKind {
  readonly name: string;
  readonly addressing: Addressing;
  /** What its configuration can be asked for at all. */
  readonly knobs: readonly Knob[];
  readonly version: (run: PeerContext['run']) => Promise<string>;
  readonly create: (context: PeerContext) => Peer;
}
