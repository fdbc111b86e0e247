import { expect, it } from 'vitest';
import { ProcessMeter } from './process-usage.js';

it('a process is measured, and a loop that is kept busy is seen once', async () => {
  const meter = new ProcessMeter();
  const turn = () => new Promise((resolve) => setTimeout(resolve, 100));
  await turn();
  meter.read();
  await turn();
  const before = performance.now();
  while (performance.now() < before + 400);
  await turn();
  const busy = meter.read();
  expect(busy.loopDelay.max).toBeGreaterThan(0.3);
  expect(busy.loopDelay.p50).toBeLessThanOrEqual(busy.loopDelay.p99);
  expect(busy.loopDelay.p99).toBeLessThanOrEqual(busy.loopDelay.max);
  expect(busy.cpu.user).toBeGreaterThan(0.2);
  expect(busy.residentBytes).toBeGreaterThan(busy.heapUsedBytes);
  expect(busy.virtualBytes).toBeGreaterThan(busy.residentBytes);
  expect(busy.openDescriptors).toBeGreaterThan(2);
  expect(busy.maxDescriptors).toBeGreaterThan(busy.openDescriptors!);
  expect(Math.abs(busy.startedAt - (Date.now() / 1000 - process.uptime()))).toBeLessThan(60);
  expect(meter.read().loopDelay.max).toBeLessThan(busy.loopDelay.max);
  meter.close();
});
