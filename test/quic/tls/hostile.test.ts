import { randomBytes, randomInt } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { HandshakeFailure } from '../../../src/quic/tls/failure.ts';
import { handshakeMessage } from '../../../src/quic/tls/messages.ts';
import { Pair } from './_handshake.ts';
import { helloOf } from './_hello.ts';

/** Changes, inserts or removes some bytes, and corrects the length of the message every second time. */
function mutated(message: Buffer): Buffer {
  const bytes = [...message];
  for (let count = randomInt(1, 4); count > 0; count--) {
    const at = randomInt(bytes.length + 1);
    const [remove, insert] = [
      [1, 1],
      [0, 1],
      [1, 0],
    ][randomInt(3)] ?? [0, 0];
    bytes.splice(at, remove ?? 0, ...randomBytes(insert ?? 0));
  }
  const result = Buffer.from(bytes);
  if (result.length >= 4 && randomInt(2) === 0) result.writeUIntBE(result.length - 4, 1, 3);
  return result.equals(message) ? mutated(message) : result;
}

function isFailure(failure: HandshakeFailure | undefined): boolean {
  if (!failure) return false;
  expect(failure.section).toMatch(/^RFC \d+ \d/);
  expect(failure.code).toBeGreaterThan(0);
  return true;
}

describe('a changed message fails the handshake, and never more', () => {
  test('of the client', () => {
    const { atClient } = new Pair().run();
    expect(atClient.sessions).toHaveLength(1);
    for (let round = 0; round < 300; round++) {
      const which = round % 3 === 0 ? 20 : 1;
      const pair = new Pair({ client: { session: atClient.sessions[0] } }).run((flight, from) => {
        if (from === 'client' && flight.bytes[0] === which) flight.bytes = mutated(flight.bytes);
      });
      if (!isFailure(pair.serverFailure)) isFailure(pair.clientFailure);
      // What the client has sent is in the transcript, so both sides cannot complete with something else.
      const both = pair.atServer.completions + pair.atClient.completions;
      if (both === 2) expect(pair.atServer.secrets).toEqual(pair.atClient.secrets);
    }
  });

  test.each([2, 8, 11, 15, 20, 4])('of type %i of the server', (type) => {
    for (let round = 0; round < 60; round++) {
      const pair = new Pair().run((flight, from) => {
        if (from === 'server' && flight.bytes[0] === type) flight.bytes = mutated(flight.bytes);
      });
      if (!isFailure(pair.clientFailure)) isFailure(pair.serverFailure);
      // Bytes after the Finished are found once the client has sent its own.
      if (type !== 4 && !pair.clientFailure) expect(pair.atServer.completions).toBe(0);
    }
  });
});

describe('random bytes', () => {
  const TYPES = [1, 2, 4, 8, 11, 13, 15, 20, 24];

  test.each(TYPES)('in a message of type %i', (type) => {
    for (let round = 0; round < 100; round++) {
      const message = handshakeMessage(type, randomBytes(randomInt(300)));
      const pair = new Pair();
      pair.client.start();
      isFailure(pair.server.receive('initial', message));
      isFailure(pair.client.receive('initial', message));
      expect([pair.server.state, pair.client.state]).toEqual(['wait-hello', 'wait-server-hello']);
    }
  });

  test('in the extensions of a ClientHello', () => {
    for (const type of [0, 10, 13, 16, 41, 43, 45, 51]) {
      for (let round = 0; round < 50; round++) {
        const content = randomBytes(randomInt(60));
        const head = Buffer.of(0, type, 0, content.length);
        const hello = helloOf({ extensions: { [type]: Buffer.concat([head, content]) } });
        isFailure(new Pair().server.receive('initial', hello));
      }
    }
  });
});

test('after the handshake, a client may send nothing', () => {
  for (const type of [1, 20, 24, 4]) {
    const { server } = new Pair().run();
    const failure = server.receive('application', handshakeMessage(type, Buffer.of(0)));
    expect(failure?.code).toBe(0x10a);
  }
});

test('the Finished of a client cannot come again, nor more at its level', () => {
  const { server, atServer } = new Pair().run();
  expect(atServer.completions).toBe(1);
  expect(server.receive('handshake', handshakeMessage(20, Buffer.alloc(32)))).toMatchObject({
    code: 0x0a,
    section: 'RFC 9001 4.1.3',
  });
});

test('a ClientHello of 64 KiB in pieces of one byte is read in time that grows with it', () => {
  const { server } = new Pair();
  const hello = handshakeMessage(1, Buffer.alloc(64 * 1024 - 1));
  for (let at = 0; at < hello.length - 1; at++)
    expect(server.receive('initial', hello.subarray(at, at + 1))).toBeUndefined();
  expect(server.receive('initial', hello.subarray(-1))?.code).toBe(0x132);
});
