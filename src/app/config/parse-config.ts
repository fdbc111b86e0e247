/**
 * Text of a configuration file -> DaemonConfig, or everything that is wrong with it, at once:
 * YAML with positions, then the shape (file-schema.ts), then what spans fields (cross-checks.ts).
 */
import { z } from 'zod';
import { crossChecks } from './cross-checks.js';
import type { DaemonConfig } from './daemon-config.js';
import { type FileConfig, fileSchema, sections } from './file-schema.js';
import { keyPlaces, knownKeys } from './known-keys.js';
import { correctSections } from './misspelt-sections.js';
import { neighbourSettings } from './neighbour-settings.js';
import { ebpfPlaneOptions } from './plane-settings.js';
import { policiesOf } from './policy-names.js';
import type { LocatedProblem, Problem } from './problem.js';
import { restarter } from './restart-settings.js';
import { type KeyPlaces, schemaProblems, unknownKey } from './schema-problems.js';
import { sessionDefaults } from './session-defaults.js';
import { parseYaml } from './yaml-source.js';

export type ParsedConfig =
  | { readonly config: DaemonConfig; readonly warnings: readonly LocatedProblem[] }
  /** In the order of the file; at least one is an error. */
  | { readonly config?: never; readonly problems: readonly LocatedProblem[] };

export function parseConfig(text: string): ParsedConfig {
  const source = parseYaml(text);
  const inOrder = (found: readonly LocatedProblem[]) =>
    [...found].sort((a, b) => a.line - b.line || a.column - b.column);
  if (source.value === undefined) return { problems: inOrder(source.problems) };
  const { file, problems } = judge(source.value);
  const located = inOrder([...source.problems, ...problems.map(source.locate)]);
  const broken = located.some((problem) => problem.severity === 'error');
  if (file === undefined || broken) {
    return { problems: located.filter((problem) => problem.severity === 'error') };
  }
  return { config: daemonConfig(file), warnings: located };
}

/** JSON Schema (draft 2020-12) of the configuration file, for editors. */
export function configJsonSchema(): object {
  return z.toJSONSchema(fileSchema, { io: 'input' });
}

function judge(value: unknown): { file?: FileConfig; problems: Problem[] } {
  if (value === null) {
    return {
      problems: [{ severity: 'error', path: [], message: 'the file is empty; expected name, role, as, fabric' }],
    };
  }
  const parsed = fileSchema.safeParse(value);
  if (parsed.success) return { file: parsed.data, problems: crossChecks(parsed.data) };
  const schema = configJsonSchema();
  const keys: KeyPlaces = { known: (path) => knownKeys(schema, path), places: (key) => keyPlaces(schema, key) };
  const corrected = correctSections(value, keys.known);
  const names = corrected.misspelt.map(({ path, key }) => unknownKey(path, key, keys));
  const problems = [...names, ...faults(corrected.value, keys)];
  return { problems: problems.map((one) => ({ ...one, path: corrected.original(one.path) })) };
}

/** Everything but the names of sections, which are right in `value`. */
function faults(value: unknown, keys: KeyPlaces): Problem[] {
  const parsed = fileSchema.safeParse(value);
  if (parsed.success) return crossChecks(parsed.data);
  const readable = readableSections(value);
  const unreadable = Object.keys(value ?? {}).filter((key) => !Object.hasOwn(readable, key));
  return [...schemaProblems(parsed.error.issues, value, keys), ...crossChecks(readable, unreadable)];
}

function readableSections(value: unknown): Partial<FileConfig> {
  if (typeof value !== 'object' || value === null) return {};
  const given = new Map<string, unknown>(Object.entries(value));
  const readable = Object.entries(sections).flatMap(([key, schema]) => {
    const parsed = schema.safeParse(given.get(key));
    return parsed.success && parsed.data !== undefined ? [[key, parsed.data] as const] : [];
  });
  return Object.fromEntries(readable);
}

function daemonConfig(file: FileConfig): DaemonConfig {
  const policies = policiesOf(file);
  const settled = sessionDefaults(file, policies);
  const neighbours = neighbourSettings(file).map(settled);
  const named = <T>(record: Readonly<Record<string, T>>) =>
    Object.entries(record).map(([name, rest]) => ({ name, ...rest }));
  return {
    speaker: {
      name: file.name,
      role: file.role,
      asn: file.as,
      identifier: file['router-id'] ?? file.as,
      ...(file['cluster-id'] !== undefined && { clusterId: file['cluster-id'] }),
      families: file.families ?? ['ipv6-unicast', 'ipv4-unicast'],
      port: file.port ?? 179,
      fabric: named(file.fabric ?? {}).map(settled),
      ...(neighbours.length > 0 && { neighbours }),
      ...restarter(file['graceful-restart']),
      ...(file['wait-for-convergence'] !== undefined && { waitForConvergence: file['wait-for-convergence'] }),
      hosts: named(file.hosts ?? {}),
      advertise: file.advertise ?? [],
      dpf: file.dpf ?? sections.dpf.unwrap().parse({}),
      timers: file.timers ?? sections.timers.unwrap().parse({}),
      fib: file.fib ?? sections.fib.unwrap().parse({}),
      balancing: file['load-balancing'] ?? sections['load-balancing'].unwrap().parse({}),
      ...(file['link-bandwidth']?.use === false && { useLinkBandwidth: false }),
      ...(file['next-next-hop'] && { nextNextHop: true }),
      ...(file['accept-as-sets'] && { acceptAsSets: true }),
      manageSwitches: file.sysctl !== 'check',
    },
    policies: [...policies.values()],
    bmp: file.bmp ?? [],
    ...(file.mrt && { mrt: file.mrt }),
    controlSocket: file['control-socket'] ?? `/run/heddle/${file.name}.sock`,
    ...(file.control && { control: file.control }),
    logLevel: file['log-level'] ?? 'info',
    rehearsal: file.rehearsal ?? true,
    ...(file.plane === 'ebpf' && {
      plane: ebpfPlaneOptions(file.ebpf ?? {}, file['load-balancing'] ?? sections['load-balancing'].unwrap().parse({})),
    }),
  };
}
