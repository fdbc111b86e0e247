/** What is known of a Junos configuration while it is read. */
import type { Statement } from '../rules.js';
import type { Settings } from '../translation.js';
import type { JunosLists, JunosTerm } from './policies.js';

/** What may be said of all sessions, of a group, and of a neighbour. */
export interface Block {
  readonly settings: Settings;
  readonly families: Set<'ipv6' | 'ipv4'>;
  /** Where neighbours are found by their router advertisements. */
  readonly interfaces: Set<string>;
  remoteAs?: number | string;
  asList?: string;
  /** `type internal`: of the router's own AS, whatever `peer-as` says. */
  internal?: boolean;
  aigp: boolean;
}

export interface Group {
  readonly block: Block;
  readonly neighbours: Map<string, Block>;
  neighbour(address: string): Block;
}

export interface Advertised {
  colour?: number;
  readonly backups: number[];
}

/** What stands once. */
export interface Plain {
  name?: string;
  as?: string;
  routerId?: string;
  restarts?: boolean;
}

export class JunosState {
  readonly plain: Plain = {};
  readonly everywhere = newBlock();
  readonly groups = new Map<string, Group>();
  readonly lists: JunosLists = { prefixLists: new Map(), communities: new Map(), asPaths: new Map() };
  readonly asLists = new Map<string, string[]>();
  /** In the order in which they begin. */
  readonly terms = new Map<string, JunosTerm>();
  readonly addresses: { readonly link: string; readonly text: string; readonly at: Statement }[] = [];
  /** Interfaces that send router advertisements. */
  readonly advertising = new Set<string>();
  readonly intervals: number[] = [];
  readonly routes = new Map<string, Advertised>();
  hasBgp = false;
  sessionMode = false;

  /** @param names of interfaces here, by those of Junos */
  constructor(readonly names: ReadonlyMap<string, string>) {}

  group(name: string): Group {
    const known = this.groups.get(name);
    if (known) return known;
    const neighbours = new Map<string, Block>();
    const made: Group = {
      block: newBlock(),
      neighbours,
      neighbour: (address) => {
        const block = neighbours.get(address) ?? newBlock();
        neighbours.set(address, block);
        return block;
      },
    };
    this.groups.set(name, made);
    return made;
  }

  term(policy: string, name: string): Statement[] {
    const key = `${policy} ${name}`;
    const known = this.terms.get(key) ?? { policy, name, statements: [] };
    this.terms.set(key, known);
    return known.statements;
  }

  advertised(prefix: string): Advertised {
    const route = this.routes.get(prefix) ?? { backups: [] };
    this.routes.set(prefix, route);
    return route;
  }

  address(link: string, text: string, at: Statement): undefined {
    this.addresses.push({ link, text, at });
    return undefined;
  }

  interval(link: string, seconds: number): undefined {
    this.advertising.add(link);
    this.intervals.push(seconds);
    return undefined;
  }
}

function newBlock(): Block {
  return { settings: {}, families: new Set(), interfaces: new Set(), aigp: false };
}
