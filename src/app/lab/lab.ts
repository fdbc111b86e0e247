/** A lab that exists or is about to: its plan, where its state is kept, and what its namespaces are called. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LabError } from './command.js';
import { type LabPlan, type PlannedRouter, planLab } from './plan.js';
import type { Topology } from './topology.js';

/** Of the installed package: holds bin/, labs/ and scripts/. */
export const PACKAGE_ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export const DEFAULT_PREFIX = 'heddle';

export interface Lab {
  readonly name: string;
  /** First part of every namespace's name. */
  readonly prefix: string;
  /** Where the topology came from, for people. */
  readonly source: string;
  readonly plan: LabPlan;
  /** Configurations, logs, pids and control sockets. */
  readonly directory: string;
}

export interface LabOptions {
  readonly prefix?: string;
  readonly source?: string;
}

interface LabRecord {
  readonly prefix: string;
  readonly source: string;
  readonly topology: Topology;
}

const RECORD = 'lab.json';

/** HEDDLE_LAB_STATE, else /run/heddle-lab: one folder per lab below it. */
export function stateRoot(): string {
  return process.env.HEDDLE_LAB_STATE ?? '/run/heddle-lab';
}

export function describeLab(topology: Topology, options: LabOptions = {}): Lab {
  return {
    name: topology.name,
    prefix: options.prefix ?? DEFAULT_PREFIX,
    source: options.source ?? topology.name,
    plan: planLab(topology),
    directory: join(stateRoot(), topology.name),
  };
}

export function namespaceOf(lab: Lab, node: string): string {
  return `${lab.prefix}-${lab.name}-${node}`;
}

export function allNamespaces(lab: Lab): readonly string[] {
  return [...lab.plan.routers, ...lab.plan.hosts].map((node) => namespaceOf(lab, node.name));
}

export function controlSocket(lab: Lab, router: string): string {
  return join(lab.directory, `${router}.sock`);
}

/** Written before anything is made, so that a lab that died half-way can be taken down. */
export function saveLab(lab: Lab): void {
  const record: LabRecord = { prefix: lab.prefix, source: lab.source, topology: lab.plan.topology };
  mkdirSync(lab.directory, { recursive: true });
  writeFileSync(join(lab.directory, RECORD), `${JSON.stringify(record, null, 2)}\n`);
}

export function forgetLab(lab: Lab): void {
  rmSync(lab.directory, { recursive: true, force: true });
}

/** Names of the labs that have state here, up or not. */
export function knownLabs(): readonly string[] {
  const root = stateRoot();
  return existsSync(root) ? readdirSync(root).filter((name) => existsSync(join(root, name, RECORD))) : [];
}

/** The lab of that name, or the only one there is. Throws LabError when that is none, or not clear. */
export function loadLab(name?: string): Lab {
  const known = knownLabs();
  if (name !== undefined && !known.includes(name)) throw new LabError(`no lab ${name} is up${listed(known)}`);
  if (known.length === 0) throw new LabError('no lab is up: start one with heddle lab up [FILE]');
  if (name === undefined && known.length > 1)
    throw new LabError(`several labs are up: choose one with --lab (${known.join(', ')})`);
  return readRecord(name ?? known[0]!);
}

function listed(known: readonly string[]): string {
  return known.length === 0 ? '' : `; up: ${known.join(', ')}`;
}

function readRecord(name: string): Lab {
  const file = join(stateRoot(), name, RECORD);
  try {
    const record: LabRecord = JSON.parse(readFileSync(file, 'utf8'));
    return describeLab(record.topology, record);
  } catch (error) {
    throw new LabError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export function findRouter(lab: Lab, name: string): PlannedRouter {
  const router = lab.plan.routers.find((candidate) => candidate.name === name);
  if (!router) throw new LabError(`lab ${lab.name} has no router ${name}; routers: ${namesOf(lab.plan.routers)}`);
  return router;
}

/** Throws LabError for a name that is neither a router nor a host of the lab. */
export function checkNode(lab: Lab, name: string): void {
  const nodes = [...lab.plan.routers, ...lab.plan.hosts];
  if (!nodes.some((node) => node.name === name))
    throw new LabError(`lab ${lab.name} has no node ${name}; nodes: ${namesOf(nodes)}`);
}

function namesOf(nodes: readonly { readonly name: string }[]): string {
  return nodes.map((node) => node.name).join(', ');
}
