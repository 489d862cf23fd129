import { Socket } from 'node:net';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  connectionsSchema,
  type ConnectionEntries,
} from '../../src/telemetry/connections-schema.ts';
import { connectionsView } from '../../src/telemetry/connections.ts';
import { ConnectionStatistics, mergeEntries } from '../../src/telemetry/connection-statistics.ts';
import { TcpConnection } from '../../src/net/tcp-connection.ts';
import { violations } from '../_schema.ts';

/** The lifecycle of a connection. */
interface Lifecycle {
  readonly protocol: 'http/1.1' | 'https/1.1' | 'h2' | 'h2c' | undefined;
  /** Sizes of consecutive batches of concurrent requests. */
  readonly batches: readonly number[];
  readonly closed: boolean;
}

const lifecycle: fc.Arbitrary<Lifecycle> = fc.record({
  protocol: fc.constantFrom('http/1.1', 'https/1.1', 'h2', 'h2c', undefined),
  batches: fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 60 }),
  closed: fc.boolean(),
});

function play(statistics: ConnectionStatistics, { protocol, batches, closed }: Lifecycle): void {
  const connection = new TcpConnection(new Socket());
  statistics.opened(connection);
  if (protocol !== undefined) connection.detected(protocol);
  for (const size of batches) {
    for (let at = 0; at < size; at++) connection.requests.nextNumber();
    for (let at = 0; at < size; at++) connection.requests.noteFinished();
  }
  if (closed) statistics.closed(connection);
}

function entriesOf(lifecycles: readonly Lifecycle[]): ConnectionEntries {
  const statistics = new ConnectionStatistics();
  for (const each of lifecycles) play(statistics, each);
  return statistics.entries(true);
}

/** Removes what depends on the process or the time. */
function comparable(entries: ConnectionEntries): unknown {
  const transports = Object.entries(entries.transports)
    .map(([name, counts]) => [name, { ...counts, age_ms: counts.age_ms !== null }] as const)
    .toSorted(([a], [b]) => a.localeCompare(b));
  const { handshakes, open, closed } = entries;
  return { transports, handshakes, open: open.length, closed: closed.length };
}

test('merged entries of several processes equal those of a single process', () => {
  fc.assert(
    fc.property(fc.array(fc.array(lifecycle, { maxLength: 8 }), { maxLength: 5 }), (shares) => {
      const merged = mergeEntries(shares.map((lifecycles) => entriesOf(lifecycles)));
      expect(comparable(merged)).toEqual(comparable(entriesOf(shares.flat())));
      // Entries are sent between processes as JSON.
      const sent = JSON.parse(JSON.stringify(merged)) as ConnectionEntries;
      expect(mergeEntries([sent])).toEqual(merged);
      expect(violations(connectionsSchema, connectionsView(sent))).toEqual([]);
      expect(violations(connectionsSchema, connectionsView(sent, 10))).toEqual([]);
    }),
  );
});

test('the ratios are fractions of all requests', () => {
  fc.assert(
    fc.property(fc.array(lifecycle, { maxLength: 20 }), (lifecycles) => {
      const all = connectionsView(entriesOf(lifecycles));
      const batches = lifecycles.flatMap((each) => each.batches);
      const requests = batches.reduce((sum, size) => sum + size, 0);
      expect(all['requests']).toBe(requests);
      expect(all['most_concurrent']).toBe(Math.max(0, ...batches));
      const used = lifecycles.filter((each) => each.batches.length > 0).length;
      const ratio = (part: number): unknown =>
        requests === 0 ? null : Number((part / requests).toFixed(3));
      expect(all['opens_anew']).toBe(ratio(used));
      expect(all['reuses']).toBe(ratio(requests - used));
      expect(all['multiplexes']).toBe(ratio(requests - batches.length));
    }),
  );
});

test('counts closed connections by number of requests', () => {
  const numbers = [0, 1, 1, 2, 9, 10, 99, 100, 999, 1000, 5000];
  const { transports } = entriesOf(
    numbers.map((requests) => ({
      protocol: 'h2c',
      batches: Array.from({ length: requests }, () => 1),
      closed: true,
    })),
  );
  expect(transports['h2c']?.closed_after).toEqual({
    '0': 1,
    '1': 2,
    '2-9': 2,
    '10-99': 2,
    '100-999': 2,
    '1000+': 2,
  });
});

test('counts closed connections by who closed them and why', () => {
  const statistics = new ConnectionStatistics();
  const ends: ((connection: TcpConnection) => void)[] = [
    () => undefined,
    (connection) => connection.setCloseReason('idle-timeout'),
    (connection) => connection.setCloseReason('idle-timeout'),
    (connection) => connection.setError(Object.assign(new Error('reset'), { code: 'ECONNRESET' })),
  ];
  for (const end of ends) {
    const connection = new TcpConnection(new Socket());
    statistics.opened(connection);
    end(connection);
    statistics.closed(connection);
  }
  expect(statistics.entries().transports['none']?.closed_by).toEqual({
    'client closed': 1,
    'wirebin idle-timeout': 2,
    'client reset': 1,
  });
});

test('keeps the newest hundred of the closed connections, and lists them only if asked', () => {
  const statistics = new ConnectionStatistics();
  const connections = Array.from({ length: 250 }, () => new TcpConnection(new Socket()));
  for (const connection of connections) {
    statistics.opened(connection);
    connection.setCloseReason('idle-timeout');
    statistics.closed(connection);
  }
  const newest = connections.slice(-100).toReversed();
  const { closed } = statistics.entries(true);
  expect(closed.map(({ id }) => id)).toEqual(newest.map(({ id }) => id));
  expect(closed[0]).toMatchObject({ by: 'wirebin', reason: 'idle-timeout', requests: 0 });
  expect(statistics.entries().closed).toEqual([]);
  expect(connectionsView(statistics.entries())).not.toHaveProperty('closed');
});

test('merges closed connections by the time of their end', () => {
  const one = entriesOf([{ protocol: 'h2', batches: [], closed: true }]);
  const [gone] = one.closed;
  if (!gone) throw new Error('none is listed');
  const goneAt = (second: number) => ({ ...gone, closed_at: `2026-11-28T12:00:0${second}.000Z` });
  const at = (...seconds: number[]): ConnectionEntries => ({ ...one, closed: seconds.map(goneAt) });
  const merged = mergeEntries([at(7, 4, 1), at(9, 2), at(5)]);
  const view = connectionsView(merged, 4);
  expect(view.closed?.map(({ closed_at }) => closed_at.slice(18, 19))).toEqual([
    '9',
    '7',
    '5',
    '4',
  ]);
});

test('merges the ages of the oldest and the newest connection', () => {
  const one = entriesOf([{ protocol: 'h2', batches: [], closed: false }]);
  const counts = one.transports['h2'];
  if (!counts) throw new Error('there is no h2');
  const aged = (oldest: number, newest: number): ConnectionEntries => ({
    ...one,
    transports: { h2: { ...counts, age_ms: { oldest, newest } } },
    open: [{ ...one.open[0], age_ms: oldest } as ConnectionEntries['open'][number]],
  });
  const merged = mergeEntries([aged(500, 20), aged(900, 100), aged(40, 30)]);
  expect(merged.transports['h2']?.age_ms).toEqual({ oldest: 900, newest: 20 });
  expect(merged.open.map(({ age_ms }) => age_ms)).toEqual([900, 500, 40]);
});
