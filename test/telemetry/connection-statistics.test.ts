import { Socket } from 'node:net';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { connectionsSchema, connectionsView } from '../../src/telemetry/connections.ts';
import {
  ConnectionStatistics,
  mergeEntries,
  type ConnectionEntries,
} from '../../src/telemetry/connection-statistics.ts';
import { Connection } from '../../src/net/connection.ts';
import { violations } from '../_schema.ts';

/** A connection as `play` is to make it. */
interface Life {
  readonly protocol: 'http/1.1' | 'https/1.1' | 'h2' | 'h2c' | undefined;
  /** How many requests come at a time, one lot after the other. */
  readonly lots: readonly number[];
  readonly closed: boolean;
}

const life: fc.Arbitrary<Life> = fc.record({
  protocol: fc.constantFrom('http/1.1', 'https/1.1', 'h2', 'h2c', undefined),
  lots: fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 60 }),
  closed: fc.boolean(),
});

function play(ledger: ConnectionStatistics, { protocol, lots, closed }: Life): void {
  const connection = new Connection(new Socket());
  ledger.opened(connection);
  connection.protocol = protocol;
  for (const lot of lots) {
    for (let at = 0; at < lot; at++) connection.requestStarted();
    for (let at = 0; at < lot; at++) connection.requestFinished();
  }
  if (closed) ledger.closed(connection);
}

function ledgerOf(lives: readonly Life[]): ConnectionEntries {
  const ledger = new ConnectionStatistics();
  for (const each of lives) play(ledger, each);
  return ledger.entries();
}

/** Without what is of one process or of one moment. */
function comparable(entries: ConnectionEntries): unknown {
  const transports = Object.entries(entries.transports)
    .map(([name, counts]) => [name, { ...counts, age_ms: counts.age_ms !== null }] as const)
    .toSorted(([a], [b]) => a.localeCompare(b));
  return { transports, handshakes: entries.handshakes, open: entries.open.length };
}

test('what several processes have is what one would have', () => {
  fc.assert(
    fc.property(fc.array(fc.array(life, { maxLength: 8 }), { maxLength: 5 }), (shares) => {
      const merged = mergeEntries(shares.map((lives) => ledgerOf(lives)));
      expect(comparable(merged)).toEqual(comparable(ledgerOf(shares.flat())));
      // Over a channel between processes it comes as JSON.
      const sent = JSON.parse(JSON.stringify(merged)) as ConnectionEntries;
      expect(mergeEntries([sent])).toEqual(merged);
      expect(violations(connectionsSchema, connectionsView(sent))).toEqual([]);
    }),
  );
});

test('the shares are of requests', () => {
  fc.assert(
    fc.property(fc.array(life, { maxLength: 20 }), (lives) => {
      const all = connectionsView(ledgerOf(lives));
      const lots = lives.flatMap((each) => each.lots);
      const requests = lots.reduce((sum, lot) => sum + lot, 0);
      expect(all['requests']).toBe(requests);
      expect(all['most_concurrent']).toBe(Math.max(0, ...lots));
      const used = lives.filter((each) => each.lots.length > 0).length;
      const share = (part: number): unknown =>
        requests === 0 ? null : Number((part / requests).toFixed(3));
      expect(all['opens_anew']).toBe(share(used));
      expect(all['reuses']).toBe(share(requests - used));
      expect(all['multiplexes']).toBe(share(requests - lots.length));
    }),
  );
});

test('closed connections by their number of requests', () => {
  const numbers = [0, 1, 1, 2, 9, 10, 99, 100, 999, 1000, 5000];
  const { transports } = ledgerOf(
    numbers.map((requests) => ({
      protocol: 'h2c',
      lots: Array.from({ length: requests }, () => 1),
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

test('who closed them, and why, is counted for what happened', () => {
  const ledger = new ConnectionStatistics();
  const ends: ((connection: Connection) => void)[] = [
    () => undefined,
    (connection) => connection.setCloseReason('idle-timeout'),
    (connection) => connection.setCloseReason('idle-timeout'),
    (connection) => connection.setError(Object.assign(new Error('reset'), { code: 'ECONNRESET' })),
  ];
  for (const end of ends) {
    const connection = new Connection(new Socket());
    ledger.opened(connection);
    end(connection);
    ledger.closed(connection);
  }
  expect(ledger.entries().transports['none']?.closed_by).toEqual({
    'client closed': 1,
    'wirebin idle-timeout': 2,
    'client reset': 1,
  });
});

test('the oldest and the newest of several processes', () => {
  const one = ledgerOf([{ protocol: 'h2', lots: [], closed: false }]);
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
