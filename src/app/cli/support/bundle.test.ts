import { parseTarGzip } from 'nanotar';
import { expect, it } from 'vitest';
import { Bundle } from './bundle.js';

async function textsOf(bundle: Bundle): Promise<Map<string, string>> {
  const files = await parseTarGzip(await bundle.archive('folder', {}));
  return new Map(files.map(({ name, text }) => [name, text]));
}

it('names what could not be had, and goes on', async () => {
  const bundle = new Bundle();
  const refused = () => Promise.reject(new Error('no such thing'));
  await bundle.add([
    { name: 'a', read: refused },
    { name: 'b', read: () => 'text' },
  ]);
  const texts = await textsOf(bundle);
  expect(texts.get('folder/b')).toBe('text');
  expect(JSON.parse(texts.get('folder/MANIFEST.json')!)).toEqual({
    files: ['b'],
    cut: [],
    missing: [{ name: 'a', why: 'no such thing' }],
  });
});

it('cuts what is too long, after it was cleaned, and holds no more than so much in all', async () => {
  const bundle = new Bundle();
  const part = 8 * 1024 * 1024;
  bundle.hide(['secret-at-the-edge']);
  await bundle.add([{ name: 'edge', read: () => `${'x'.repeat(part - 5)}secret-at-the-edge` }]);
  for (let index = 0; index < 9; index++) bundle.keep({ name: `part${index}`, text: 'y'.repeat(part + 1) });
  const texts = await textsOf(bundle);
  expect(texts.get('folder/edge')!.slice(-6)).toBe('x<remo');
  expect(JSON.parse(texts.get('folder/MANIFEST.json')!).cut).toHaveLength(10);
  const octets = [...texts].reduce(
    (sum, [name, text]) => (name.endsWith('MANIFEST.json') ? sum : sum + text.length),
    0,
  );
  expect(octets).toBe(64 * 1024 * 1024);
});
