import { describe, expect, test } from 'vitest';
import type { Limits } from '../../../src/server/limits.ts';
import type { ExchangeObserver } from '../../../src/server/observer.ts';
import { startAdapters, until } from '../../_adapters.ts';
import * as h2 from '../../_frames.ts';
import { openSocket } from '../../_raw.ts';
import { HTTP2 } from '../../_shared.ts';

const CANCEL = 8;
const ENHANCE_YOUR_CALM = 11;

/** nghttp2 has a limit of 1,000 at once, which Node 22 and later can raise. */
const NODE = Number(process.versions.node.split('.')[0]);
const RESETS = NODE >= 22 ? 4000 : 1000;

const odd = (at: number): number => 2 * at + 1;
const PING = h2.frame(h2.PING, 0, 0, Buffer.alloc(8));
const reset = (at: number): Buffer =>
  Buffer.concat([h2.get(odd(at), '/hold'), h2.frame(h2.RST_STREAM, 0, odd(at), h2.uint32(CANCEL))]);
const many = (count: number, make: (at: number) => Buffer): Buffer[] =>
  Array.from({ length: count }, (_, at) => make(at));

const isEnded = (client: h2.FrameClient): boolean =>
  client.goaway() === ENHANCE_YOUR_CALM || client.ended;

describe.each(HTTP2)('%s', (_, alpn) => {
  async function open(
    limits: Partial<Limits>,
    opening: Buffer = h2.OPENING,
    observer: ExchangeObserver = {},
  ): Promise<h2.FrameClient> {
    const adapters = await startAdapters(limits, [], [observer]);
    const client = new h2.FrameClient(await openSocket(adapters.port, alpn), opening);
    client.socket.on('error', () => undefined);
    await until(() => client.got(h2.SETTINGS).length > 1);
    return client;
  }

  test('as many resets as are allowed', async () => {
    const client = await open({ maxResets: RESETS / 4 });
    client.send(...many(RESETS - 100, reset), h2.get(odd(RESETS), '/healthz'));
    await until(() => client.isDone(odd(RESETS)));
    expect(client.goaway()).toBeUndefined();
  });

  test('more resets than are allowed', async () => {
    const client = await open({ maxResets: 10 });
    client.send(...many(30, reset), h2.get(odd(30), '/healthz'));
    await until(() => client.isDone(odd(30)));
    client.send(...many(30, (at) => reset(31 + at)));
    await until(() => isEnded(client));
  });

  // Node 26 and later end such a stream themselves, and only nghttp2 counts it.
  if (NODE < 26)
    test('more resets with NO_ERROR, of blocked responses, than are allowed', async () => {
      const client = await open({ maxResets: 10 }, h2.openingWith(0));
      client.send(...many(50, (at) => h2.get(odd(at), '/zeros/100000')));
      await until(() => client.got(h2.HEADERS).length === 50);
      client.send(...many(50, (at) => h2.frame(h2.RST_STREAM, 0, odd(at), h2.uint32(0))));
      await until(() => isEnded(client));
    });

  test('as many PING frames as are allowed', async () => {
    const client = await open({ maxControlFrames: 3000 });
    for (let count = 500; count <= 2500; count += 500) {
      client.send(...many(500, () => PING));
      await until(() => client.got(h2.PING).length === count);
    }
    expect(client.goaway()).toBeUndefined();
  });

  test('more PING frames than are allowed', async () => {
    const client = await open({ maxControlFrames: 10 });
    client.send(...many(12, () => PING));
    await until(() => isEnded(client));
  });

  test.each([
    ['PING frames', { maxControlFrames: 10 }, (): Buffer => PING],
    ['resets', { maxResets: 1 }, reset],
  ])(
    'too many %s close the connection, and no message is rejected',
    async (_name, limits, make) => {
      const rejected: string[] = [];
      let isClosed = false;
      const client = await open(limits, h2.OPENING, {
        rejected: (_connection, { message }) => rejected.push(message),
        closed: () => {
          isClosed = true;
        },
      });
      client.send(...many(40, make));
      await until(() => isEnded(client));
      client.socket.destroy();
      await until(() => isClosed);
      expect(rejected).toEqual([]);
    },
  );

  test.each([
    [1, true],
    [64, false],
  ])('%i MB for blocked responses: streams are refused: %s', async (maxSessionMemory, refused) => {
    const client = await open({ maxSessionMemory }, h2.openingWith(0));
    // An inspected session reads all requests of a piece before it responds to the first.
    for (const sent of [50, 100]) {
      client.send(...many(50, (at) => h2.get(odd(sent - 50 + at), '/zeros/100000')));
      await until(() => client.got(h2.HEADERS).length + client.got(h2.RST_STREAM).length === sent);
    }
    const calmed = client.got(h2.RST_STREAM).map(({ payload }) => payload.readUInt32BE());
    expect(calmed.length > 0).toBe(refused);
    expect(calmed.filter((code) => code !== ENHANCE_YOUR_CALM)).toEqual([]);
  });
});
