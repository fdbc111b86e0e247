/** Makes a fault happen on a fabric, and gives back what undoes it. */
import type { Prefix } from '../core/net/prefix.js';
import type { Policy } from '../core/policy/policy.js';
import type { Colour, FabricInterfaceConfig, HostPrefix, SpeakerConfig } from '../core/speaker/config.js';
import { Impairment } from '../simulator/impairment.js';
import { type ConfigChange, linkName, type What } from './fault.js';
import { prefixOf } from './prefix-of.js';
import type { Testbed } from './testbed.js';

type Undo = () => void;
type Of<Kind extends What['kind']> = Extract<What, { readonly kind: Kind }>;
/** Of the flag that says who gave out a MAC address; the first octet of a node's own is 2. */
const OTHER_MAC = 0x06;

export function inject(bed: Testbed, what: What): Undo {
  switch (what.kind) {
    case 'carrier':
      return carrier(bed, what);
    case 'silent':
      return silent(bed, what);
    case 'removed':
      return removed(bed, what);
    case 'address':
      return address(bed, what);
    case 'impaired':
      return impaired(bed, what);
    case 'stuck':
      return stuck(bed, what);
    case 'reset':
    case 'half-open':
    case 'malformed':
      return streams(bed, what);
    case 'crash':
    case 'stop':
      return away(bed, what);
    case 'identifier':
      return identifier(bed, what);
    case 'suspended':
      return suspended(bed, what);
    case 'clock':
      bed.node(what.router).clock.jump(what.by);
      return () => {};
    case 'reload':
      return reload(bed, what);
    case 'refusals':
      return refusals(bed, what);
    case 'overrun':
      bed.node(what.router).tables.loseEvents();
      return () => {};
    case 'deleted':
      return deleted(bed, what);
  }
}

function cut(bed: Testbed, link: { readonly a: string; readonly b: string }): Undo {
  const name = linkName(link);
  bed.cut.add(name);
  return () => bed.cut.delete(name);
}

function carrier(bed: Testbed, what: Of<'carrier'>): Undo {
  const undo = cut(bed, what);
  bed.end(what.a, what.b)?.setAdmin(false);
  return () => {
    undo();
    bed.end(what.a, what.b)?.setAdmin(true);
  };
}

function silent(bed: Testbed, { ways, ...what }: Of<'silent'>): Undo {
  const undo = cut(bed, what);
  const set = (eaten: boolean) => {
    const end = bed.end(what.a, what.b);
    if (!end?.cable) return;
    end.cable.silence(end, eaten);
    if (ways === 'both') end.cable.silent = eaten;
  };
  set(true);
  return () => {
    undo();
    set(false);
  };
}

function removed(bed: Testbed, what: Of<'removed'>): Undo {
  const undo = cut(bed, what);
  bed.fabric.remove(what.a, what.b);
  return () => {
    undo();
    bed.fabric.restore(what.a, what.b);
  };
}

function address(bed: Testbed, { a, b }: Of<'address'>): Undo {
  const end = bed.end(a, b);
  if (!end) return () => {};
  const before = end.mac;
  end.changeMac(Uint8Array.from(before, (octet, at) => (at === 0 ? OTHER_MAC : octet)));
  return () => end.changeMac(before);
}

function impaired(bed: Testbed, { a, b, rates }: Of<'impaired'>): Undo {
  const end = bed.end(a, b);
  const cable = end?.cable;
  if (!cable) return () => {};
  cable.impair(end, new Impairment(rates, bed.random));
  return () => cable.impair(end, undefined);
}

function stuck(bed: Testbed, { a, b }: Of<'stuck'>): Undo {
  const { transport } = bed.node(a);
  transport.stall(`to-${b}`, true);
  return () => transport.stall(`to-${b}`, false);
}

function streams(bed: Testbed, what: Of<'reset' | 'half-open' | 'malformed'>): Undo {
  const { transport } = bed.node(what.a);
  const name = `to-${what.b}`;
  if (what.kind === 'reset') transport.reset(name);
  else if (what.kind === 'half-open') transport.abandon(name);
  else transport.inject(name, Uint8Array.from(Buffer.from(what.octets, 'hex')));
  return () => {};
}

function away(bed: Testbed, what: Of<'crash' | 'stop'>): Undo {
  const { router } = what;
  const node = bed.node(router);
  bed.down.add(router);
  bed.afterwards(router, async () => {
    if (what.kind === 'crash') node.kill();
    else await node.speaker?.stop(what.restart ? { kind: 'restart' } : undefined);
  });
  return () => {
    bed.down.delete(router);
    bed.afterwards(router, () => node.start(bed.config(router)));
  };
}

/** Killed and started with the identifier of another; killed again, it has its own. */
function identifier(bed: Testbed, { router, of }: Of<'identifier'>): Undo {
  const own = bed.config(router).identifier;
  const again = (identifier: number) => {
    bed.configs.set(router, { ...bed.config(router), identifier });
    bed.afterwards(router, () => {
      bed.node(router).kill();
      return bed.node(router).start(bed.config(router));
    });
  };
  again(bed.config(of).identifier);
  return () => again(own);
}

/** Nothing that asks something of the process is heard before it goes on. */
function suspended(bed: Testbed, { router }: Of<'suspended'>): Undo {
  let release = () => {};
  let over = false;
  bed.afterwards(router, () => {
    if (over) return undefined;
    bed.node(router).suspension.suspend();
    return new Promise<void>((resolve) => {
      release = resolve;
    });
  });
  return () => {
    over = true;
    bed.node(router).suspension.resume();
    release();
  };
}

function reload(bed: Testbed, { router, change }: Of<'reload'>): Undo {
  const before = bed.config(router);
  const run = ({ advertise, hosts, fabric }: SpeakerConfig) => {
    bed.configs.set(router, { ...bed.config(router), advertise, hosts, fabric });
    bed.afterwards(router, async () => {
      const { speaker } = bed.node(router);
      if (bed.down.has(router) || !speaker) return;
      const { restart, problem } = await speaker.reconfigure(bed.config(router));
      if (problem !== undefined || restart.length > 0)
        throw new Error(`reload refused: ${problem ?? restart.join(', ')}`);
    });
  };
  run(changed(before, change));
  return () => run(before);
}

function changed(config: SpeakerConfig, change: ConfigChange): SpeakerConfig {
  switch (change.kind) {
    case 'advertise':
      return {
        ...config,
        advertise: [...config.advertise, { prefix: prefixOf(change.prefix), colour: change.colour }],
      };
    case 'colours':
      return {
        ...config,
        hosts: config.hosts.map((host) => ({ ...host, prefixes: shifted(host.prefixes, change.shift) })),
      };
    case 'reject': {
      const policy = rejecting(prefixOf(change.prefix));
      const key = change.way === 'import' ? 'importPolicy' : 'exportPolicy';
      const link = (one: FabricInterfaceConfig) => (one.name === change.interface ? { ...one, [key]: [policy] } : one);
      return { ...config, fabric: config.fabric.map(link) };
    }
  }
}

function shifted(prefixes: readonly HostPrefix[], shift: number): HostPrefix[] {
  const colours = prefixes.map(({ colour }) => colour!);
  return prefixes.map((prefix, index) => {
    const colour: Colour = colours[(index + shift) % colours.length]!;
    return {
      ...prefix,
      colour,
      ...(prefix.backupColours && { backupColours: colours.filter((one) => one !== colour) }),
    };
  });
}

function rejecting(prefix: Prefix): Policy {
  const entries = [{ prefix, least: prefix.length, most: prefix.length, deny: false }];
  return {
    name: 'rejecting',
    terms: [
      { name: '1', match: { prefixes: [{ name: 'one', entries }] }, set: {}, action: 'reject' },
      { name: '2', match: {}, set: {}, action: 'accept' },
    ],
  };
}

function refusals(bed: Testbed, { router, code, every }: Of<'refusals'>): Undo {
  const { tables } = bed.node(router);
  let operations = 0;
  tables.injectFailures(() =>
    ++operations % every === 0 ? { code, message: `${code}, as the scenario has it` } : undefined,
  );
  return () => tables.injectFailures(undefined);
}

function deleted(bed: Testbed, { router, what, number }: Of<'deleted'>): Undo {
  const { tables } = bed.node(router);
  void tables.dump('everything').then(({ routes, groups, nextHops }) => {
    if (what === 'route') {
      const route = routes[number % Math.max(1, routes.length)];
      if (route) tables.deleteRouteOutside(route.prefix, route.metric);
      return;
    }
    const objects = what === 'group' ? groups : nextHops;
    const object = objects[number % Math.max(1, objects.length)];
    if (object) tables.deleteNextHopOutside(object.id);
  });
  return () => {};
}
