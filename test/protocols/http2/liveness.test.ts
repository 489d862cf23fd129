import { performServerHandshake } from 'node:http2';
import { expect, onTestFinished, test } from 'vitest';
import { afterIterations, WRITE_ITERATIONS } from '../../../src/net/event-loop.ts';
import { Liveness } from '../../../src/protocols/http2/liveness.ts';
import { socketPair } from '../../net/_sockets.ts';

const SILENCE = 1000;

async function watch() {
  const [client, socket] = await socketPair();
  const session = performServerHandshake(socket);
  onTestFinished(() => {
    session.destroy();
    client.destroy();
  });
  const counts = { bytesRead: 0, bytesWritten: 0 };
  const requests = { open: 0 };
  const connection = { socket: counts, tls: undefined, requests, detectReset: () => undefined };
  const liveness = new Liveness(session, connection, { isWritten: false }, SILENCE);
  return {
    counts,
    check: (now: number) => liveness.check(now),
    /**
     * Lets it send a PING.
     *
     * @returns when it must have been written, in milliseconds: a whole number, since of others
     *   `now + SILENCE - now` is not always SILENCE
     */
    ping: async () => {
      expect(liveness.check(performance.now() + SILENCE)).toBeUndefined();
      await new Promise<void>((resolve) => {
        afterIterations(WRITE_ITERATIONS + 1, resolve);
      });
      return Math.ceil(performance.now());
    },
  };
}

test('a client that takes no bytes, nor a PING, is silent', async () => {
  const { check, ping } = await watch();
  const pinged = await ping();
  expect(check(pinged + SILENCE / 2)).toBeUndefined();
  expect(check(pinged + SILENCE)).toBe('silent');
});

test('one that sends is not, as long as it does', async () => {
  const { counts, check, ping } = await watch();
  let now = await ping();
  for (let round = 0; round < 3; round++) {
    counts.bytesRead++;
    now += SILENCE;
    expect(check(now)).toBeUndefined();
  }
  expect(check(now + SILENCE - 1)).toBeUndefined();
  expect(check(now + SILENCE)).toBe('silent');
});

test('nor is one that takes bytes', async () => {
  const { counts, check, ping } = await watch();
  const pinged = await ping();
  counts.bytesWritten++;
  expect(check(pinged + SILENCE)).toBeUndefined();
  expect(check(pinged + SILENCE + 1)).toBeUndefined();
});
