/** Load-balancing schemes of the simulator, as text. Pure. */
import type { SchemeDefinition } from '../../../simulator/schemes/scheme.js';
import type { Paint } from './paint.js';
import { table } from './table.js';

export type SchemeText = Pick<SchemeDefinition, 'name' | 'summary' | 'defaults' | 'meaning'>;

export function renderSchemes(schemes: readonly SchemeText[], paint: Paint): string[] {
  return table(
    [{ title: 'SCHEME' }, { title: 'IDEA' }],
    schemes.map(({ name, summary }) => ({ cells: [name, summary] })),
    paint,
  );
}

export function renderScheme({ name, summary, defaults, meaning }: SchemeText, paint: Paint): string[] {
  const options = Object.keys(defaults);
  const head = [`${paint.strong(name)}: ${summary}`];
  if (options.length === 0) return [...head, 'It has no options.'];
  const rows = options.map((key) => ({ cells: [key, String(defaults[key]), meaning[key] ?? ''] }));
  return [...head, '', ...table([{ title: 'OPTION' }, { title: 'DEFAULT' }, { title: 'MEANING' }], rows, paint)];
}
