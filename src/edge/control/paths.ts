/** Paths of the API as they are written in a list, `/neighbors/{name}/reset`, and as clients send them. */

export interface Template {
  readonly path: string;
  /** The last part takes all that is left, slashes too. */
  readonly takesRest?: true;
}

/** The text that stands for `{name}`, empty where there is none; undefined when it is another path. `parts` are decoded. */
export function nameIn({ path, takesRest }: Template, parts: readonly string[]): string | undefined {
  const wanted = path.slice(1).split('/');
  const given = takesRest ? [...parts.slice(0, wanted.length - 1), parts.slice(wanted.length - 1).join('/')] : parts;
  if (given.length !== wanted.length) return undefined;
  let name = '';
  for (const [index, part] of given.entries()) {
    if (wanted[index]?.startsWith('{') && part !== '') name = part;
    else if (part !== wanted[index]) return undefined;
  }
  return name;
}

/** Undefined when it is not valid percent encoding. */
export function partsOf(pathname: string): readonly string[] | undefined {
  try {
    return pathname.slice(1).split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
