import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { until } from '../../_adapters.ts';
import * as h2 from '../../_frames.ts';
import { open } from './_client.ts';

test.each([
  ['with its acknowledgement of the PING', true],
  ['a second later if it acknowledges none', false],
])(
  'a request that crosses GOAWAY is served, and the client told of the last one %s',
  async (_, acknowledges) => {
    const { adapters, client } = await open({ maxConnectionAge: 100, sweepInterval: 10 });
    await pause(150);
    const asked = performance.now();
    client.send(h2.get(1, '/healthz'));
    await until(() => client.goaway() === 0);
    client.send(h2.get(3, '/healthz'));
    await until(() => client.isDone(3));
    if (acknowledges) {
      await until(() => client.got(h2.PING).length === 1);
      client.send(h2.frame(h2.PING, h2.ACK, 0, client.got(h2.PING)[0]?.payload));
    }
    await until(() => client.ended);
    const last = client.got(h2.GOAWAY).map(({ payload }) => payload.readUInt32BE());
    expect(last).toEqual([2 ** 31 - 1, 3]);
    expect(adapters.outcomes).toEqual([200, 200]);
    expect(performance.now() - asked > 900).toBe(!acknowledges);
  },
);

test('a client that sends GOAWAY is not waited for', async () => {
  const { adapters, client } = await open({ maxConnectionAge: 100, sweepInterval: 10 });
  await pause(150);
  client.send(h2.get(1, '/healthz'));
  await until(() => client.isDone(1) && client.goaway() === 0);
  const left = performance.now();
  client.send(h2.frame(h2.GOAWAY, 0, 0, Buffer.alloc(8)));
  await until(() => client.ended);
  expect(performance.now() - left).toBeLessThan(900);
  expect(adapters.outcomes).toEqual([200]);
});
