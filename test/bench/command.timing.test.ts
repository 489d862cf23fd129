import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProxy } from './_proxy.ts';
import { runCommand } from './_command.ts';
import { createService, type Service } from '../../src/index.ts';

let origin: Service;
beforeAll(async () => {
  origin = await createService({ metricsEnabled: true });
});
afterAll(() => origin.close());

test('a proxy that delays responses by 5 ms adds 5 ms', { timeout: 30_000 }, async () => {
  const proxy = await startProxy(origin.port, (client, piece) => {
    setTimeout(() => {
      if (!client.destroyed) client.write(piece);
    }, 5);
  });
  const { out, report } = await runCommand([
    proxy.url,
    '--direct',
    origin.httpOrigin,
    '--only',
    'healthz',
    '--protocol',
    'http/1.1',
    '--rounds',
    '3',
    '--duration',
    '300ms',
    '--rate',
    '100',
  ]);
  await proxy.close();
  const [row] = report?.rows ?? [];
  expect(row?.metrics.p50_ms?.difference_ms.value, out).toBeGreaterThan(4.5);
  expect(row?.metrics.p50_ms?.difference_ms.value, out).toBeLessThan(10);
  expect(row?.metrics.requests_per_second?.ratio, out).toBeLessThan(1);
  // More connections do more, for they wait only.
  expect(row?.limited_by, out).not.toBe('target');
});
