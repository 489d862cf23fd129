import { beforeEach, describe, expect, test } from 'vitest';
import { openClient, transports, type Transport } from '../_client.ts';
import { converse, GET, openSocket } from '../_raw.ts';
import type { Connections } from '../../src/telemetry/connections-schema.ts';
import { startService } from '../_service.ts';
import { ask } from '../_walk.ts';

/** A transport other than the observed one, so that requests for the statistics do not count. */
function otherThan(transport: Transport): Transport {
  return transport === 'h2c' ? 'http/1.1' : 'h2c';
}

describe.each(transports)('over %s', (transport) => {
  let port = 0;
  beforeEach(async () => {
    ({ port } = await startService('--tap'));
  });
  const read = async (): Promise<Connections> => {
    const { body } = await ask(otherThan(transport), port, '/connections');
    return JSON.parse(body.toString()) as Connections;
  };
  const closed = async (count: number): Promise<Connections['transports'][string] | undefined> => {
    for (;;) {
      const statistics = await read();
      const observed = statistics.transports[transport];
      if (observed?.connections.closed === count) return observed;
    }
  };

  test('new, pooled and multiplexed connections differ in three numbers', async () => {
    for (let nth = 0; nth < 3; nth++) await ask(transport, port, '/ip');
    expect(await closed(3)).toMatchObject({
      opens_anew: 1,
      reuses: 0,
      multiplexes: 0,
      most_concurrent: 1,
      requests: 3,
      connections: { open: 0, closed: 3 },
      age_ms: null,
      closed_after: { '0': 0, '1': 3, '2-9': 0, '10-99': 0 },
      closed_by: { 'client closed': 3 },
    });
    const pooled = openClient(transport, port);
    for (let nth = 0; nth < 27; nth++) await pooled.request('/ip');
    const { transports: pool, open } = await read();
    expect(pool[transport]).toMatchObject({
      opens_anew: 0.133,
      reuses: 0.867,
      multiplexes: 0,
      requests: 30,
      connections: { open: 1, closed: 3 },
    });
    expect(open.find((each) => each['transport'] === transport)).toMatchObject({
      requests: 27,
      open_requests: 0,
      most_concurrent: 1,
    });
    if (transport.startsWith('h2')) {
      await Promise.all(Array.from({ length: 30 }, () => pooled.request('/delay/0.1')));
      const { transports: after } = await read();
      expect(after[transport]).toMatchObject({ most_concurrent: 30, requests: 60 });
      expect(after[transport]?.multiplexes).toBeCloseTo(29 / 60, 2);
    }
    pooled.close();
    const last = await closed(4);
    expect(last?.closed_after).toMatchObject({ '1': 3, '10-99': 1 });
  });

  test('lists the connections that are gone, newest first', async () => {
    const first = openClient(transport, port);
    for (let nth = 0; nth < 3; nth++) await first.request('/ip');
    first.close();
    await closed(1);
    await ask(transport, port, '/fault/close').catch(() => undefined);
    await closed(2);
    const { body } = await ask(otherThan(transport), port, '/connections?closed=100');
    const listed = JSON.parse(body.toString()) as Connections;
    const observed = listed.closed?.filter((each) => each.transport === transport) ?? [];
    expect(observed).toMatchObject([
      { requests: 1, by: 'wirebin', reason: 'fault' },
      { requests: 3, by: 'client', reason: 'closed', open_requests: 0, most_concurrent: 1 },
    ]);
    const times = listed.closed?.map(({ closed_at }) => closed_at) ?? [];
    expect(times).toEqual(times.toSorted().toReversed());
    const two = await ask(otherThan(transport), port, '/connections?closed=2');
    expect((JSON.parse(two.body.toString()) as Connections).closed).toHaveLength(2);
    expect(await read()).not.toHaveProperty('closed');
  });

  test.each([
    ['closed=101', 'closed=101 exceeds the maximum of 100'],
    ['closd=1', 'closd is not a parameter of /connections; did you mean closed?'],
  ])('%s is refused', async (query, detail) => {
    const { status, body } = await ask(transport, port, `/connections?${query}`);
    expect([status, body.toString()]).toEqual([400, expect.stringContaining(detail)]);
  });

  test('lists the group of the key exchange, also of closed connections', async () => {
    const isTls = transport === 'h2' || transport === 'https/1.1';
    await ask(transport, port, '/ip');
    await closed(1);
    const listed = await ask(transport, port, '/connections?closed=100');
    const { handshakes, ...all } = JSON.parse(listed.body.toString()) as Connections;
    const group = isTls ? expect.stringMatching(/^(x25519|X25519MLKEM768)$/) : null;
    for (const list of [all.open, all.closed]) {
      const its = list?.find((each) => each.transport === transport);
      expect(its?.tls_group).toEqual(group);
    }
    const sum = Object.values(handshakes.groups).reduce((total, count) => total + count, 0);
    expect(sum).toBe(handshakes.done);
  });

  test('counts handshakes and resumptions', async () => {
    await ask(transport, port, '/ip');
    await closed(1);
    const { handshakes, transports: statistics } = await read();
    const { connections } = statistics[transport] ?? { connections: { open: 0, closed: 0 } };
    const isTls = transport === 'h2' || transport === 'https/1.1';
    expect(handshakes).toMatchObject({ done: isTls ? connections.closed : 0, failed: 0 });
    expect(handshakes['resumption']).toBe(
      isTls ? Number((handshakes.resumed / handshakes.done).toFixed(3)) : null,
    );
  });
});

test('pipelined HTTP/1.1 requests are concurrent', async () => {
  const { port } = await startService('--tap');
  const socket = await openSocket(port);
  const requests = `${GET('/delay/0.1')}${GET('/ip')}${GET('/connections')}`;
  const answers = await converse(socket, requests, (text) => text.includes('open_left_out'));
  const statistics = JSON.parse(answers.slice(answers.lastIndexOf('\r\n\r\n'))) as Connections;
  expect(statistics).toMatchObject({ most_concurrent: 3, requests: 3, multiplexes: 0.667 });
  expect(statistics.transports['http/1.1']).toMatchObject({
    open_requests: 3,
    connections: { open: 1 },
  });
});

test('all open connections are counted, at most a hundred listed', async () => {
  const { port } = await startService('--tap');
  await Promise.all(Array.from({ length: 120 }, async () => openSocket(port)));
  const { body } = await ask('h2c', port, '/connections');
  const statistics = JSON.parse(body.toString()) as Connections;
  expect(statistics.transports['none']).toMatchObject({
    connections: { open: 120, closed: 0 },
    opens_anew: null,
    requests: 0,
  });
  expect([statistics.open.length, statistics.open_left_out]).toEqual([100, 21]);
  const ages = statistics.open.map((each) => each.age_ms);
  expect(ages).toEqual(ages.toSorted((a, b) => b - a));
});
