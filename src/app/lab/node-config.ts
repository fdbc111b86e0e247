/** The configuration file of a planned router, in the language of what runs there. */
import { stringify } from 'yaml';
import { birdConfig } from './bird.js';
import { frrConfig } from './frr.js';
import {
  allPrefixes,
  type FabricPort,
  isIpv4,
  type LabPlan,
  type PlannedPrefix,
  type PlannedRouter,
  prefixText,
} from './plan.js';

export interface NodeConfig {
  readonly file: string;
  readonly text: string;
}

/** @param controlSocket where a heddle node listens for `heddle show`; other implementations have their own. */
export function nodeConfig(plan: LabPlan, router: PlannedRouter, controlSocket: string): NodeConfig {
  switch (router.implementation) {
    case 'heddle':
      return { file: `${router.name}.yaml`, text: heddleConfig(plan, router, controlSocket) };
    case 'frr':
      return { file: `${router.name}.frr.conf`, text: frrConfig(plan, router) };
    case 'bird':
    case 'bird3':
      return { file: `${router.name}.bird.conf`, text: birdConfig(plan, router) };
  }
}

function heddleConfig(plan: LabPlan, router: PlannedRouter, controlSocket: string): string {
  return stringify({
    name: router.name,
    role: router.role,
    as: router.asn,
    'router-id': router.routerId,
    families: allPrefixes(plan).some(isIpv4) ? ['ipv6', 'ipv4'] : ['ipv6'],
    fabric: Object.fromEntries(router.fabric.map((port) => [port.interface, fabricSettings(plan, router, port)])),
    ...(router.hosts.length > 0 && { hosts: hostSettings(plan, router) }),
    ...(isSessionMode(plan) && { dpf: { mode: 'session' } }),
    timers: { hold: plan.topology.timers.hold },
    ...(plan.topology.bfd && { bfd: plan.topology.bfd }),
    'control-socket': controlSocket,
    // Many start at once on one machine, where nobody waits for any of them alone.
    rehearsal: false,
    ...plan.topology.settings[router.name],
  });
}

/** FRR 10.3 keeps a coloured route over a link-local next hop inaccessible and passes no colour on, so it is sent none. */
function fabricSettings(plan: LabPlan, router: PlannedRouter, port: FabricPort) {
  return {
    ...(hasColours(plan) && (router.role === 'leaf' || isSessionMode(plan)) && { colour: port.colour }),
    'accept-remote-as': port.peer.asn,
    ...(port.peer.implementation === 'frr' && { 'send-colour': false }),
    ...(plan.topology.password !== undefined && { password: plan.topology.password }),
    ...(plan.topology.gtsm && { gtsm: 'require' }),
  };
}

function hostSettings(plan: LabPlan, router: PlannedRouter) {
  return Object.fromEntries(
    router.hosts.map((port) => [
      port.interface,
      { prefixes: port.prefixes.map((planned) => prefixSettings(plan, planned)) },
    ]),
  );
}

/** In session mode the other colours back a prefix up, as the other uplinks do by themselves in policy mode. */
function prefixSettings(plan: LabPlan, planned: PlannedPrefix) {
  const others = plan.topology.colours.filter((colour) => colour !== planned.colour);
  return {
    prefix: prefixText(planned),
    ...(hasColours(plan) && { colour: planned.colour }),
    ...(isSessionMode(plan) && others.length > 0 && { 'backup-colours': others }),
  };
}

function hasColours(plan: LabPlan): boolean {
  return plan.topology.dpfMode !== 'none';
}

function isSessionMode(plan: LabPlan): boolean {
  return plan.topology.dpfMode === 'session';
}
