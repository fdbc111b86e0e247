/** What both readers do at the end: a role, colours for the recipe of DPF, and nothing that is not used. */
import { applyRecipe, dpfRecipe } from './recipe.js';
import type { Draft, Settings } from './translation.js';

/** Changes the draft; returns remarks for the operator. */
export function finish(draft: Draft, role: Draft['role']): string[] {
  const originates = Object.keys(draft.hosts).length > 0 || draft.advertise.length > 0;
  draft.role = role ?? (originates ? 'leaf' : 'spine');
  const remarks = [
    ...(role
      ? []
      : [
          `role: ${draft.role}, since it announces ${originates ? 'prefixes of its own' : 'nothing of its own'}; --role says otherwise`,
        ]),
    ...(draft.name === undefined ? ['name: heddle, since the source has none'] : []),
    ...(draft.as === undefined ? ['as: 64512, since the source has none: put the right one'] : []),
  ];
  draft.name = nameOf(draft.name ?? 'heddle');
  draft.as ??= 64512;
  const recipe = draft.role === 'leaf' ? dpfRecipe(draft) : undefined;
  if (recipe) {
    applyRecipe(draft, recipe);
    remarks.push(
      'deterministic path forwarding: colours of prefixes and uplinks say what the export policies did with AIGP',
    );
  }
  dropUnused(draft);
  return remarks;
}

function nameOf(text: string): string {
  return (
    text
      .replaceAll(/[^A-Za-z0-9._-]/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 63) || 'heddle'
  );
}

function dropUnused(draft: Draft): void {
  const sessions = [draft.fabric, draft.neighbors, draft['peer-groups']].flatMap((section) => Object.values(section));
  keepOnly(
    draft.policies,
    new Set(sessions.flatMap(({ import: one, export: other }) => [...list(one), ...list(other)])),
  );
  const terms = Object.values(draft.policies).flat();
  keepOnly(draft['prefix-lists'], new Set(terms.flatMap(({ match }) => list(match?.prefixes))));
  const changes = terms.map(({ set }) => set?.communities as Settings | undefined);
  const communities = [
    ...terms.flatMap(({ match }) => [...list(match?.communities), ...list(match?.['all-communities'])]),
    ...changes.flatMap((change) => list(change?.remove)),
  ];
  keepOnly(draft['community-lists'], new Set(communities));
}

function list(value: unknown): string[] {
  return value === undefined ? [] : Array.isArray(value) ? value.map(String) : [String(value)];
}

function keepOnly(section: Record<string, unknown>, used: ReadonlySet<string>): void {
  for (const name of Object.keys(section)) if (!used.has(name)) delete section[name];
}

/** Letters, digits, dots and dashes, with a letter in front: as heddle takes names of lists and policies. */
export function listName(text: string): string {
  const name = text.replaceAll(/[^A-Za-z0-9._-]/g, '-');
  return /^[A-Za-z]/.test(name) ? name : `n-${name}`;
}
