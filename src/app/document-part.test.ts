import { describe, expect, it } from 'vitest';
import { withPart } from './document-part.js';

const part = (text: string) => `<!-- figures: written by the run -->\n\n${text}\n\n<!-- end of figures -->`;

describe('the part of a document that a run writes', () => {
  it('goes to the end the first time', () => {
    expect(withPart('# Method\n', 'figures', '| 1 |\n')).toBe(`# Method\n\n${part('| 1 |')}\n`);
    expect(withPart('', 'figures', '| 1 |')).toBe(`${part('| 1 |')}\n`);
  });

  it('takes the place of the earlier one, and leaves all around it alone', () => {
    const known = `# Method\n\n${part('| 1 |')}\n\n## After\n`;
    expect(withPart(known, 'figures', '| 2 |')).toBe(`# Method\n\n${part('| 2 |')}\n\n## After\n`);
  });

  it('leaves the parts of others alone', () => {
    const known = withPart('', 'attacks', 'none');
    expect(withPart(known, 'figures', '| 1 |')).toBe(`${known.trimEnd()}\n\n${part('| 1 |')}\n`);
  });
});
