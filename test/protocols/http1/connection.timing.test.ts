import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { sharedAdapters, until } from '../../_adapters.ts';
import { GET, openPair, POST } from '../../_raw.ts';
import { HTTP1 } from '../../_shared.ts';

describe.each(HTTP1)('%s', (_, alpn) => {
  const adapters = sharedAdapters();

  test('the signals of all open requests abort within 100 ms after RST', async () => {
    const before = adapters().held.length;
    const { clear, socket } = await openPair(adapters().port, alpn);
    const big = POST('/hold', 'Content-Length: 900000\r\n', 'a'.repeat(800_000));
    socket.write(GET('/hold') + GET('/hold') + big);
    await until(() => adapters().held.length === before + 3);
    const requests = adapters()
      .held.slice(before)
      .map(({ request }) => request);
    const signals = requests.map((request) => request.signal);
    expect(requests[0]?.connection.requests.open).toBe(3);
    await pause(20);
    clear.resetAndDestroy();
    const left = performance.now();
    await until(() => signals.every(({ aborted }) => aborted));
    expect(performance.now() - left).toBeLessThan(100);
    expect(requests[0]?.connection.requests.open).toBe(0);
    for (const held of adapters().held.slice(before)) held.respond();
  });
});
