/** SVG elements as text. Pure. */

export type Attributes = Readonly<Record<string, string | number>>;

/** An element; `inner` is elements already, or text from `escaped`. */
export function element(name: string, attributes: Attributes, inner: readonly string[] | string = ''): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(shortened(value)))}"`);
  const content = typeof inner === 'string' ? inner : inner.join('');
  return content === '' ? `<${name}${written.join('')}/>` : `<${name}${written.join('')}>${content}</${name}>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

/** A tenth of a pixel is as good as any. */
function shortened(value: string | number): string | number {
  return typeof value === 'number' ? Math.round(value * 10) / 10 : value;
}
