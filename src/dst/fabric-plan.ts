/** The fabric of a scenario as the topology that a lab takes, planned: the simulated fabric and the one in namespaces are made of the same files. */
import { parse, stringify } from 'yaml';
import { parseConfig } from '../app/config/parse-config.js';
import { nodeConfig } from '../app/lab/node-config.js';
import { type LabPlan, type PlannedRouter, planLab } from '../app/lab/plan.js';
import { parseTopology } from '../app/lab/read-topology.js';
import type { SpeakerConfig } from '../core/speaker/config.js';
import { fiveStagePlan } from './five-stage-plan.js';
import type { FabricSpec } from './scenario.js';

/** Keys of a router's configuration file. */
export type RouterFile = Readonly<Record<string, unknown>>;

const BFD = { interval: 1000, multiplier: 3 };
const RESTARTS = { helper: true, restarter: true, 'restart-time': 8, 'selection-deferral': 10 };

export function topologyText(spec: FabricSpec): string {
  const { spines, leaves, mode, bfd, graceful, balancing, links = 1, hosts = 1, ipv4 = false, pods = 1 } = spec;
  const settings = {
    ...(graceful && { 'graceful-restart': RESTARTS }),
    ...(!balancing && { 'load-balancing': { mode: 'off' } }),
  };
  return stringify({
    name: 'dst',
    spines,
    leaves: pods * leaves,
    'links-per-pair': links,
    'hosts-per-leaf': hosts,
    'dpf-mode': mode,
    addressing: {
      ipv6: 'fc00:{leaf}:{host}:{uplink}::/64',
      ...(ipv4 && { ipv4: '10.{leaf}.{host}{uplink}.0/24' }),
    },
    ...(bfd && { bfd: BFD }),
    settings: { spines: settings, leaves: settings },
  });
}

const plans = new Map<string, LabPlan>();

/** Kept: parsing costs more than a start of the fabric. */
export function fabricPlan(spec: FabricSpec): LabPlan {
  const { pods = 1 } = spec;
  const text = topologyText(spec);
  const known = plans.get(`${pods} ${text}`);
  if (known) return known;
  const parsed = parseTopology(text);
  if (parsed.topology === undefined) throw new Error(parsed.problems.map(({ message }) => message).join('; '));
  const plan = pods === 1 ? planLab(parsed.topology) : fiveStagePlan(planLab(parsed.topology), pods);
  plans.set(`${pods} ${text}`, plan);
  return plan;
}

const files = new WeakMap<PlannedRouter, RouterFile>();
const configs = new WeakMap<RouterFile, SpeakerConfig>();

/** Kept for the same reason; without a control socket, which a simulated router has not. */
export function routerFile(plan: LabPlan, router: PlannedRouter): RouterFile {
  const known = files.get(router);
  if (known) return known;
  const { 'control-socket': _, ...file }: RouterFile = parse(nodeConfig(plan, router, '/nowhere').text);
  files.set(router, file);
  return file;
}

/** Kept too. Load balancing that is off has no meters to look at. */
export function configOf(file: RouterFile): SpeakerConfig {
  const known = configs.get(file);
  if (known) return known;
  const parsed = parseConfig(stringify(file));
  if (!parsed.config)
    throw new Error(`the configuration made for ${file.name} is wrong: ${parsed.problems[0]?.message}`);
  const { balancing, ...rest } = parsed.config.speaker;
  const config = balancing === undefined || balancing.mode === 'off' ? rest : { ...rest, balancing };
  configs.set(file, config);
  return config;
}
