/** The neighbours given by their addresses, and the interfaces of the host that their sessions depend on. */
import { equalBytes, isLinkLocal } from '../net/address.js';
import type { LinkState } from '../ports/links.js';
import type { Stream } from '../ports/transport.js';
import type { NeighbourConfig } from './config.js';
import type { ConfiguredNeighbour } from './configured-neighbour.js';

export class ConfiguredNeighbours {
  readonly all: ConfiguredNeighbour[];
  /** By index. */
  private readonly links = new Map<number, LinkState>();

  constructor(
    configs: readonly NeighbourConfig[],
    private readonly create: (config: NeighbourConfig) => ConfiguredNeighbour,
  ) {
    this.all = configs.map(create);
  }

  /** Of any interface of the host; `undefined` when there is none. */
  interfaceName(index: number): string | undefined {
    return this.links.get(index)?.name;
  }

  /** True when a session can be tried that could not before. */
  linkChanged(link: LinkState): boolean {
    this.links.set(link.index, link);
    return this.look();
  }

  linkGone(index: number): void {
    this.links.delete(index);
    this.look();
  }

  /** After a change of interfaces or of routes. */
  look(): boolean {
    const links = [...this.links.values()];
    return this.all.filter((neighbour) => neighbour.linksChanged(links)).length > 0;
  }

  /** The one that a stream comes from. */
  find({ remote, interfaceName }: Stream): ConfiguredNeighbour | undefined {
    return this.all.find(
      ({ config }) =>
        equalBytes(config.address, remote) && (!isLinkLocal(remote) || config.interfaceName === interfaceName),
    );
  }

  /** It has its session, if it can have one, when this returns; `before` is the one that it replaces. */
  add(config: NeighbourConfig, before?: ConfiguredNeighbour): ConfiguredNeighbour {
    const neighbour = this.create(config);
    if (before) neighbour.succeed(before);
    this.all.push(neighbour);
    neighbour.linksChanged([...this.links.values()]);
    return neighbour;
  }

  remove(name: string): ConfiguredNeighbour | undefined {
    const index = this.all.findIndex(({ config }) => config.name === name);
    return index < 0 ? undefined : this.all.splice(index, 1)[0];
  }
}
