import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test, type TestContext } from 'vitest';
import { until } from '../../../_adapters.ts';
import { observe } from '../../../_ending.ts';
import * as h2 from '../../../_frames.ts';
import { INSPECTED } from '../../../_inspected.ts';
import { openPair } from '../../../_raw.ts';
import { rounds } from '../../../_whole.ts';
import { inClearAndOverTls } from './_observed.ts';

const KINDS = [
  'close',
  'close?at=start',
  'close?length=1000000',
  'reset',
  'reset?length=5000000&after=4000000',
  'truncate-tls',
  'stall?for=0.01',
  'rst-stream',
  'rst-stream?code=0',
  'rst-stream?code=8',
  'goaway',
  'goaway?then=close',
  'goaway?last=max',
  'goaway?last=zero',
  'goaway?last=previous',
  'goaway?length=3000000',
  'content-length?declared=10&sent=26',
  'head?how=uppercase',
  'head?how=no-status',
  'head?how=size',
  'slow-head?rate=5000',
  'garbage?length=50',
  'garbage?length=1000000',
  'garbage?frame=too-large',
  'no-read?for=0.05',
  'no-read?for=0.05&scope=connection&after=10',
].map((kind) => `/fault/${kind}`);
const OTHERS = [
  '/range/1000000',
  '/get',
  '/delay/0.01',
  '/drip?duration=0.05',
  '/stream-bytes/9999',
];
const MAX_WINDOW = 2 ** 31 - 1;
/** Iterations of the event loop, which client and service share, after which the system takes no more. */
const FILLED = 2000;

function setting(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUInt16BE(id, 0);
  bytes.writeUInt32BE(value, 2);
  return bytes;
}

/** Of a client without flow control. */
const WIDE = Buffer.concat([
  h2.PREFACE,
  h2.frame(h2.SETTINGS, 0, 0, setting(4, MAX_WINDOW)),
  h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.uint32(MAX_WINDOW - 65_535)),
]);

/** The same numbers on every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

inClearAndOverTls(
  ({ isSecure, running, ask, FIN }) => {
    const alpn = isSecure ? ['h2'] : undefined;

    test('many faults on many connections, of clients that leave or do not read', async () => {
      const random = numbers(isSecure ? 1 : 2);
      const pick = (texts: readonly string[]): string => texts[random(texts.length)] ?? '';
      const attack = async (): Promise<void> => {
        const { clear, socket } = await openPair(running().port, alpn);
        const client = new h2.FrameClient(socket, random(3) === 0 ? undefined : WIDE);
        if (random(5) === 0) socket.pause();
        for (let id = 1; id <= 2 * random(6) + 1; id += 2) {
          const path = pick(random(3) === 0 ? OTHERS : KINDS);
          if (random(3) > 0) client.send(h2.get(id, path));
          else {
            const end = random(2) * h2.END_STREAM;
            client.send(h2.post(id, path), h2.frame(h2.DATA, end, id, Buffer.alloc(10_000)));
          }
          if (random(5) === 0) client.send(h2.frame(h2.RST_STREAM, 0, id, h2.uint32(random(9))));
        }
        for (let left = random(8); left > 0 && !clear.destroyed; left--) {
          client.send(h2.frame(h2.PING, 0, 0, Buffer.alloc(8)));
          await pause(random(10));
        }
        if (random(2) === 0) clear.resetAndDestroy();
        else clear.destroy();
      };
      for (let round = 0; round < rounds(25); round++) {
        const honest = ask(h2.get(1, '/delay/0.02'));
        await Promise.all(Array.from({ length: 6 }, attack));
        await until(() => honest.client.isDone(1));
        honest.reset();
      }
      const { connections } = running().service;
      await until(() => connections?.entries().open.length === 0);
      expect(running().logged.filter(({ level }) => Number(level) >= 50)).toEqual([]);
    }, 60_000);

    /** Has three large responses pending, then asks. */
    const choke = async (path: string, { onTestFinished }: TestContext) => {
      const observed = observe(running().port, isSecure, 'h2');
      onTestFinished(() => void observed.tcp.destroy());
      const client = new h2.FrameClient(observed.socket, WIDE);
      await until(() => client.got(h2.SETTINGS).length > 0);
      // Before a response begins: a client that reads for a moment may have all of them.
      observed.tcp.pause();
      client.send(...[1, 3, 5].map((id) => h2.get(id, '/range/10485760')));
      for (let iteration = 0; iteration < FILLED; iteration++) await turn();
      client.send(h2.get(7, path));
      return observed;
    };

    describe('a client that does not read', () => {
      // At once: each takes seconds until it is clear that the client does not read.
      const kinds = ['garbage', 'close?at=start', 'garbage?frame=window-0', 'reset?at=start'];
      test.concurrent.for(kinds)('%s ends the connection all the same', async (kind, context) => {
        const { tcp, ended } = await choke(`/fault/${kind}`, context);
        const { connections } = running().service;
        await until(() => connections?.entries().open.length === 0);
        tcp.resume();
        // Over TLS or inspected, it may have had little to send: what the system buffers.
        if (!isSecure && !INSPECTED) expect(await ended).toMatchObject({ ending: 'RST' });
      });

      test('of a client that reads late it does not', async (context) => {
        const { tcp, ended, received } = await choke('/fault/garbage?length=10', context);
        await pause(100);
        tcp.resume();
        expect(await ended).toEqual(FIN);
        expect(received().length).toBeGreaterThan(100_000);
      });
    });
  },
  '--tap',
  '--max-control-frames=1000000',
  // Node notices some clients that have gone only by a PING.
  { silence: 2000 },
);
