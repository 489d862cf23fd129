import { expect, test } from 'vitest';
import { Liveness } from '../../../src/protocols/http2-engine/liveness.ts';

function watched() {
  const connection = {
    socket: { bytesRead: 0 },
    writeProgress: 0,
    tls: undefined,
    requests: { open: 0 },
    detectReset: () => undefined,
  };
  const pings: number[] = [];
  let now = performance.now();
  const start = now;
  const liveness = new Liveness(connection, () => pings.push(now - start), 1000);
  const after = (milliseconds: number): boolean => {
    now += milliseconds;
    return liveness.isSilent(now);
  };
  return { connection, pings, after };
}

test('a PING after silence, and the end after more of it', () => {
  const { pings, after } = watched();
  expect([after(500), after(600), pings.length, after(900), after(200)]).toEqual([
    false,
    false,
    1,
    false,
    true,
  ]);
});

test('a client that reads gets no PING, and one that sends is alive', () => {
  const { connection, pings, after } = watched();
  for (let round = 0; round < 5; round++) {
    connection.writeProgress++;
    expect(after(900)).toBe(false);
  }
  expect(pings).toEqual([]);
  expect(after(1100)).toBe(false);
  expect(pings).toHaveLength(1);
  connection.socket.bytesRead++;
  expect([after(1100), after(500)]).toEqual([false, false]);
});
