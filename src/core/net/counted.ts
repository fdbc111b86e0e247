/** Counts and lists in sentences for people: the one place that knows the plural. */

/** `1 path`, `3 paths`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

/** `1 IPv6 prefix`, `3 IPv6 prefixes`. */
export function countedPrefixes(count: number, kind = ''): string {
  const what = kind === '' ? '' : `${kind} `;
  return counted(count, `${what}prefix`, `${what}prefixes`);
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(texts: readonly string[]): string {
  const last = texts.at(-1) ?? '';
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(', ')} and ${last}`;
}
