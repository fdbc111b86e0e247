/** Dumped state of a fabric on disk: `fabric.json` and a file for each router. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import type { LabPlan } from '../lab/plan.js';
import { type FabricState, fabricStateSchema, nodeStateSchema } from './observation.js';

const HEAD = 'fabric.json';

/** What is wrong with a folder of dumped state, for people. */
export class StateError extends Error {
  override readonly name = 'StateError';
}

export function writeState(directory: string, { routers, ...head }: FabricState): void {
  mkdirSync(directory, { recursive: true });
  const write = (file: string, value: unknown) =>
    writeFileSync(join(directory, file), `${JSON.stringify(value, null, 2)}\n`);
  write(HEAD, head);
  for (const [name, state] of routers) write(`${name}.json`, state);
}

/** Throws StateError when it is not there, cannot be read, or is of another fabric than the plan's. */
export function readState(directory: string, plan: LabPlan): FabricState {
  const head = readJson(join(directory, HEAD), fabricStateSchema, 'no state that heddle verify --dump wrote');
  const expected = plan.routers.map(({ name }) => name);
  const strange = head.nodes.filter((name) => !expected.includes(name));
  const missing = expected.filter((name) => !head.nodes.includes(name));
  if (strange.length > 0 || missing.length > 0) {
    const parts = [
      ...(missing.length > 0 ? [`it has no ${missing.join(', ')}`] : []),
      ...(strange.length > 0 ? [`the topology has no ${strange.join(', ')}`] : []),
    ];
    throw new StateError(`${directory} is the state of another topology (${head.topology}): ${parts.join('; ')}`);
  }
  const states = expected.map((name) => {
    const state = readJson(join(directory, `${name}.json`), nodeStateSchema, `the state of ${name} is missing`);
    const planned = plan.routers.find((router) => router.name === name)!;
    if (state.implementation === planned.implementation) return [name, state] as const;
    throw new StateError(
      `${directory} is the state of another topology: ${name} runs ${state.implementation} there, ${planned.implementation} in the topology`,
    );
  });
  return { ...head, routers: new Map(states) };
}

function readJson<T>(file: string, schema: z.ZodType<T>, absent: string): T {
  if (!existsSync(file)) throw new StateError(`${file} is not there: ${absent}`);
  const checked = schema.safeParse(parsed(file));
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw new StateError(`${file}: ${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'unexpected'}`);
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new StateError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
