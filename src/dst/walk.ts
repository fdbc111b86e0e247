/** Where the kernels of a fabric send a packet: all ways at once, hop by hop, without asking any router what it thinks. */
import type { MemoryKernelTables } from '../core/fib/memory-tables.js';
import type { Prefix } from '../core/net/prefix.js';
import type { Testbed } from './testbed.js';

/** Routers that a router's kernel may hand a packet to a prefix to next; `undefined` stands for a way that ends in nothing. */
export type NextRouters = (router: string, destination: Prefix) => readonly (string | undefined)[];

/** By destination, which are few objects: the interfaces that a kernel sends packets to. */
interface Looked {
  changes: number;
  readonly interfaces: Map<Prefix, readonly number[]>;
}

export function nextRouters(bed: Testbed): NextRouters {
  const looked = new Map<MemoryKernelTables, Looked>();
  return (router, destination) => {
    const { tables, links } = bed.node(router);
    return interfacesFor(tables, destination, looked).map((index) => {
      const link = links.byIndex(index);
      const carried = link?.cable?.carriesFrom(link);
      return link && carried ? bed.linkAt(router, link.name).peer : undefined;
    });
  };
}

/** Kept until the kernel changes: lookups were a tenth of a run. */
function interfacesFor(
  tables: MemoryKernelTables,
  destination: Prefix,
  looked: Map<MemoryKernelTables, Looked>,
): readonly number[] {
  const { changes } = tables;
  let known = looked.get(tables);
  if (!known) {
    known = { changes, interfaces: new Map() };
    looked.set(tables, known);
  }
  if (known.changes !== changes) known.interfaces.clear();
  known.changes = changes;
  let interfaces = known.interfaces.get(destination);
  if (!interfaces) {
    interfaces = tables.lookup(destination.address).map(({ interfaceIndex }) => interfaceIndex);
    known.interfaces.set(destination, interfaces);
  }
  return interfaces;
}

/** What `nextRouters` says is the same as long as this is: kernels, and what their links carry. */
export function stateOfForwarding(bed: Testbed): string {
  return bed.routers
    .map(({ name, fabric }) => {
      const { tables, links } = bed.node(name);
      const carries = fabric.map((port) => {
        const link = links.byName(port.interface);
        return link?.cable?.carriesFrom(link) ? link.index : 0;
      });
      return `${tables.changes}:${carries.join()}`;
    })
    .join(' ');
}
