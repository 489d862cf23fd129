import { describe, expect, test } from 'vitest';
import { until } from '../../../_adapters.ts';
import { differs } from '../../../_engine.ts';
import * as h2 from '../../../_frames.ts';
import { fieldsOf, inClearAndOverTls, PING, PONG, untilFrames } from './_observed.ts';
import { rounds } from '../../../_whole.ts';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz';
const CONTENT = ALPHABET.repeat(400).slice(0, 10_240);
const CANCEL = 8;

inClearAndOverTls(({ ask, running, FIN, RST, isSecure }) => {
  const fail = (kind: string, ...more: Buffer[]) => ask(h2.get(1, `/fault/${kind}`), ...more);

  const endings = [
    ['close', FIN],
    ['reset', RST],
    ...(isSecure ? ([['truncate-tls', { ending: 'FIN', closeNotify: false }]] as const) : []),
  ] as const;

  describe.each(endings)('%s ends the connection without GOAWAY', (kind, ending) => {
    test.each([
      ['at=start', []],
      ['at=headers', ['HEADERS 1']],
      ['at=body', ['HEADERS 1', 'DATA 1 5120']],
      ['after=0', ['HEADERS 1']],
      ['after=1', ['HEADERS 1', 'DATA 1 1']],
      ['length=60000&after=50000', ['HEADERS 1', 'DATA 1 50000']],
      ['at=end', ['HEADERS 1', 'DATA 1 10240']],
      ['status=503&at=headers', ['HEADERS 1']],
    ])('%s', async (query, frames) => {
      const asking = fail(`${kind}?${query}`);
      expect(await asking.outcome()).toEqual({ frames, ...ending });
      if (frames.length === 0) return;
      const status = query.startsWith('status') ? '503' : '200';
      expect(fieldsOf(asking.client)[0]?.[0]).toEqual([':status', status]);
      const content = asking.client.content(1);
      expect(content.slice(0, 5000)).toBe(CONTENT.slice(0, Math.min(5000, content.length)));
    });

    test('ends other streams of the connection', async () => {
      const asking = ask(h2.get(1, '/delay/60'), h2.get(3, `/fault/${kind}`));
      expect(await asking.outcome()).toEqual({ frames: ['HEADERS 3', 'DATA 3 5120'], ...ending });
    });

    test('HEAD', async () => {
      const head = h2.request(1, 'HEAD', `/fault/${kind}`);
      const { frames, ...end } = await ask(head).outcome();
      expect(frames[0]).toMatch(/^HEADERS 1/);
      expect(end).toEqual(ending);
    });
  });

  test.each([
    ['reset?for=0.05', RST],
    ['garbage?for=0.05&at=body', FIN],
    ['garbage?for=0.05&frame=window-0', FIN],
  ])('%s: the connection ends after that time', async (kind, ending) => {
    const began = performance.now();
    expect(await fail(kind).outcome()).toMatchObject(ending);
    expect(performance.now() - began).toBeGreaterThan(49);
  });

  test('the reason is fault', async () => {
    const before = running().service.connections;
    expect(before).toBeDefined();
    await fail('close').outcome();
    const closedBy = (): number =>
      running().service.connections?.entries().transports[isSecure ? 'h2' : 'h2c']?.closed_by[
        'wirebin fault'
      ] ?? 0;
    await until(() => closedBy() > 0);
  });

  test('a client that closes the stream before gets no fault', async () => {
    const asking = ask(h2.openingWith(0), h2.get(1, '/fault/close'));
    await untilFrames(asking, ['HEADERS 1']);
    asking.client.send(h2.frame(h2.RST_STREAM, 0, 1, h2.uint32(CANCEL)), h2.get(3, '/status/204'));
    await untilFrames(asking, ['HEADERS 1', 'HEADERS 3 END']);
  });

  describe('of the stream: others finish', () => {
    const others = [h2.get(3, '/range/20000'), h2.get(5, '/delay/0.1')];

    test.each([
      ['rst-stream', ['HEADERS 1', 'DATA 1 5120', 'RST_STREAM 1 2']],
      ['rst-stream?code=CANCEL', ['HEADERS 1', 'DATA 1 5120', 'RST_STREAM 1 8']],
      ['rst-stream?code=0', ['HEADERS 1', 'DATA 1 5120', 'RST_STREAM 1 0']],
      ['rst-stream?code=4294967295', ['HEADERS 1', 'DATA 1 5120', 'RST_STREAM 1 4294967295']],
      ['rst-stream?at=start&code=7', ['RST_STREAM 1 7']],
      ['rst-stream?at=headers', ['HEADERS 1', 'RST_STREAM 1 2']],
      ['rst-stream?at=end', ['HEADERS 1', 'DATA 1 10240', 'RST_STREAM 1 2']],
      ['rst-stream?after=0', ['HEADERS 1', 'RST_STREAM 1 2']],
      ['stall?for=0.05', ['HEADERS 1', 'DATA 1 5120', 'RST_STREAM 1 8']],
      ['stall?for=0.05&at=start', ['RST_STREAM 1 8']],
      ['content-length?declared=10&sent=26', ['HEADERS 1', 'DATA 1 26 END']],
      ['content-length?declared=26&sent=10', ['HEADERS 1', 'DATA 1 10 END']],
      ['content-length?declared=26&sent=0', ['HEADERS 1', 'DATA 1 0 END']],
      ['head?how=connection-field', ['HEADERS 1', 'DATA 1 10240 END']],
      ['head?how=no-status', ['HEADERS 1', 'DATA 1 10240 END']],
      ['head?how=late-pseudo', ['HEADERS 1', 'DATA 1 10240 END']],
      ['head?how=count&fields=3000&length=1', ['HEADERS 1', 'DATA 1 1 END']],
    ])('%s', async (kind, expected) => {
      const asking = fail(kind, ...others);
      await until(() => asking.client.isDone(3) && asking.client.isDone(5));
      const ours = (): string[] =>
        asking.frames().filter((text) => !/^(?:\w+ [35]\b|9 )/.test(text));
      await until(() => ours().length === expected.length);
      asking.client.send(PING);
      await until(() => asking.frames().includes(PONG));
      expect(ours().filter((text) => text !== PONG)).toEqual(expected);
      expect(asking.client.content(3)).toHaveLength(20_000);
    });

    const waits = !differs('`/fault/head?how=uppercase`');
    test.runIf(waits)('head?how=uppercase waits for them', async () => {
      const asking = fail('head?how=uppercase', ...others);
      const { frames, ...ending } = await asking.outcome();
      expect(frames.slice(-2)).toEqual(['HEADERS 1 END', 'GOAWAY 1 0']);
      expect(ending).toEqual(FIN);
      expect(asking.client.isDone(3) && asking.client.isDone(5)).toBe(true);
      const names = fieldsOf(asking.client)[0]?.map(([name]) => name);
      expect(names).toEqual([':status', 'Content-Type', 'X-Request-Id', 'X-Response-Time']);
    });

    const what = 'slow-head waits for them although another one that waits was reset';
    test.skipIf(differs('`/fault/slow-head`'))(what, async () => {
      const slow = '/fault/slow-head?rate=100000&length=5';
      const asking = ask(h2.get(1, '/delay/0.3'), h2.get(3, slow), h2.get(5, slow));
      asking.client.send(PING);
      await until(() => asking.frames().includes(PONG));
      asking.client.send(h2.frame(h2.RST_STREAM, 0, 3, h2.uint32(CANCEL)));
      await until(() => asking.client.isDone(5));
      expect(asking.client.isDone(1)).toBe(true);
    });

    // A session that ends while nghttp2 processes bytes aborts the process.
    const last =
      'head?how=uppercase: the last of them is reset, and a request with content follows';
    test.runIf(waits)(last, async () => {
      const asking = fail('head?how=uppercase', h2.get(3, '/delay/60'), PING);
      await until(() => asking.frames().includes(PONG));
      asking.client.send(
        h2.frame(h2.RST_STREAM, 0, 3, h2.uint32(CANCEL)),
        h2.post(5, '/post'),
        h2.frame(h2.DATA, 0, 5, Buffer.alloc(100)),
      );
      expect(await asking.outcome()).toMatchObject(FIN);
    });

    test.runIf(waits)('two that wait for each other', async () => {
      const asking = fail('head?how=uppercase', h2.get(3, '/fault/head?how=uppercase'));
      const { frames, ...ending } = await asking.outcome();
      expect(frames).toHaveLength(2);
      expect(ending).toEqual(FIN);
    });
  });

  const section = async (kind: string): Promise<[string, string][]> => {
    const asking = fail(kind);
    await until(() => fieldsOf(asking.client).length > 0);
    return fieldsOf(asking.client)[0] ?? [];
  };

  describe('the header section', () => {
    test('connection-field', async () => {
      expect((await section('head?how=connection-field')).at(-1)).toEqual([
        'connection',
        'keep-alive',
      ]);
    });

    test('no-status', async () => {
      const names = (await section('head?how=no-status')).map(([name]) => name);
      expect(names).toEqual(['content-type', 'content-length', 'x-request-id', 'x-response-time']);
    });

    test('late-pseudo', async () => {
      const names = (await section('head?how=late-pseudo&status=404')).map(([name]) => name);
      expect(names.indexOf(':status')).toBe(names.length - 1);
    });

    test('count', async () => {
      // Without :status.
      expect(await section('head?how=count&fields=500')).toHaveLength(501);
    });

    test.each([1000, 20_000, 70_000, 1_048_576])('size %i', async (bytes) => {
      const fields = await section(`head?how=size&bytes=${bytes}`);
      const sizes = fields.map(([name, value]) => name.length + value.length + 32);
      const size = sizes.reduce((sum, each) => sum + each, 0);
      // Every field counts 39 bytes at least.
      expect(size).toBeGreaterThan(bytes - 39);
      expect(size).toBeLessThanOrEqual(bytes);
    });

    test.each([
      [10, 26],
      [26, 10],
    ])('content-length %i of %i', async (declared, sent) => {
      const fields = await section(`content-length?declared=${declared}&sent=${sent}`);
      expect(fields.filter(([name]) => name === 'content-length')).toEqual([
        ['content-length', String(declared)],
      ]);
    });
  });

  describe('garbage', () => {
    test.each([0, 9, 10_000, 300_000])(
      '%i random bytes in place of the response',
      async (length) => {
        const { ended, received } = fail(`garbage?length=${length}`);
        expect(await ended).toEqual(FIN);
        // SETTINGS, an acknowledgement, and perhaps a WINDOW_UPDATE come before.
        const opening = received().indexOf(h2.frame(h2.SETTINGS, 1, 0)) + 9;
        expect(received().length - opening).toBe(length);
      },
    );

    test.each([
      ['at=headers', ['HEADERS 1'], 0],
      ['at=body', ['HEADERS 1'], 0],
      ['after=5&content=10', ['HEADERS 1', 'DATA 1 5'], 5],
      ['at=end&content=10', ['HEADERS 1', 'DATA 1 10'], 10],
      ['at=end&status=503&content=10', ['HEADERS 1', 'DATA 1 10'], 10],
    ])('after a good beginning: %s', async (query, expected, content) => {
      // Fewer bytes than a frame header: the client takes them for no frame.
      const asking = fail(`garbage?length=7&${query}`);
      expect(await asking.outcome()).toEqual({ frames: expected, ...FIN });
      expect(asking.client.content(1)).toHaveLength(content);
      const framed = asking.client.frames.reduce((sum, { payload }) => sum + 9 + payload.length, 0);
      expect(asking.received()).toHaveLength(framed + 7);
    });

    const response = 'HEADERS 1 END';
    test.each([
      ['data-on-stream-0', ['DATA 0 4', response]],
      ['window-0', ['WINDOW_UPDATE 0 0', response]],
      ['window-overflow', ['WINDOW_UPDATE 0 2147483647', response]],
      ['too-large', ['HEADERS 1', 'DATA 1 16385 END']],
      ['unknown-type', ['250 1 7', response]],
      ['rst-idle', ['RST_STREAM 2147483647 0', response]],
      ['push-promise', ['PUSH_PROMISE 1 2', response]],
      ['data-after-end', [response, 'DATA 1 4 END']],
    ])('frame=%s, then FIN', async (frame, frames) => {
      expect(await fail(`garbage?frame=${frame}`).outcome()).toEqual({ frames, ...FIN });
    });

    test('is decoded by a client with another limit of its table', async () => {
      const smallTable = Buffer.concat([
        h2.PREFACE,
        h2.frame(h2.SETTINGS, 0, 0, Buffer.from('000100000000', 'hex')),
      ]);
      const asking = ask(smallTable, h2.get(1, '/fault/garbage?frame=unknown-type'));
      await asking.outcome();
      const block = asking.client.got(h2.HEADERS)[0]?.payload;
      // A size update to 0 (RFC 7541 6.3).
      expect(block?.[0]).toBe(0x20);
      expect(fieldsOf(asking.client)).toEqual([[[':status', '200']]]);
    });
  });

  const unavailable: [kind: string, why: string][] = [
    ['chunk', 'chunk: HTTP/2 has no chunked transfer coding'],
    ['head?how=bare-lf', 'head: how=bare-lf is for HTTP/1.1; HTTP/2 has uppercase'],
    ['no-read', 'no-read: the request has no content'],
    ['close?framing=chunked', 'chunked'],
  ];
  if (!isSecure)
    unavailable.push(['truncate-tls', 'truncate-tls: the connection does not use TLS']);
  test.each(unavailable)('%s is not available', async (kind, why) => {
    const asking = fail(kind);
    await until(() => asking.client.isDone(1));
    expect(fieldsOf(asking.client)[0]?.[0]).toEqual([':status', '400']);
    expect(asking.client.content(1)).toContain(why);
    expect(asking.client.content(1)).toContain('fault-unavailable');
  });

  test('an RST_STREAM in each of many requests on one connection', async () => {
    const asking = ask();
    const times = rounds(10);
    for (let at = 0; at < times; at++) {
      const streams = Array.from({ length: 100 }, (_, index) => 200 * at + 2 * index + 1);
      asking.client.send(...streams.map((id) => h2.get(id, '/fault/rst-stream?at=start')));
      await until(() => asking.client.got(h2.RST_STREAM).length === 100 * (at + 1));
    }
    expect(asking.client.got(h2.RST_STREAM).map((each) => each.payload.readUInt32BE())).toEqual(
      Array<number>(100 * times).fill(2),
    );
    expect(asking.client.goaway()).toBeUndefined();
  });
}, '--tap');
