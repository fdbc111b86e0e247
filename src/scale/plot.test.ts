import { expect, it } from 'vitest';
import { drawPlot } from './plot.js';

it('puts points where their logarithms are, and leaves out what has none', () => {
  const points = [
    { x: 10, y: 1 },
    { x: 100, y: 0 },
    { x: 1000, y: 100 },
  ];
  const svg = drawPlot({ title: 'a < b', unit: 'ms', lines: [{ name: 'one', points }] });
  expect(svg).toContain('points="70.0,330.0 520.0,60.0"');
  expect(svg).toContain('<title>a &lt; b</title>');
  expect(svg.match(/class="spot c0"/g)).toHaveLength(3);
});
