import { expect, test } from 'vitest';
import { settled, until } from '../../_adapters.ts';
import * as h2 from '../../_frames.ts';
import { inClearAndOverTls } from './_sessions.ts';

const PROTOCOL_ERROR = 1;
const METHOD = [':method', 'GET'] as const;
const SCHEME = [':scheme', 'http'] as const;
const PATH = [':path', '/healthz'] as const;

inClearAndOverTls({ silence: 100, lingerTime: 20 }, ({ adapters, open, allClosed }) => {
  test('SETTINGS announce 250 concurrent streams and the header list size', async () => {
    const client = await open();
    await until(() => client.got(h2.SETTINGS).length > 0);
    const settings: Buffer = client.got(h2.SETTINGS)[0]?.payload ?? Buffer.alloc(0);
    const values = new Map<number, number>();
    for (let at = 0; at < settings.length; at += 6) {
      values.set(settings.readUInt16BE(at), settings.readUInt32BE(at + 2));
    }
    expect(values.get(3)).toBe(250);
    // Twice the limit: Node resets streams that exceed it, and the client should get 431.
    expect(values.get(6)).toBe(64 * 1024);
  });

  const malformed: [string, readonly (readonly [string, string])[]][] = [
    ['no :method', [SCHEME, PATH]],
    ['no :path', [METHOD, SCHEME]],
    ['no :scheme', [METHOD, PATH]],
    ['an empty :path', [METHOD, SCHEME, [':path', '']]],
    ['an unknown pseudo-header field', [METHOD, SCHEME, PATH, [':odd', 'x']]],
    ['a repeated pseudo-header field', [METHOD, METHOD, SCHEME, PATH]],
    ['a pseudo-header field after others', [METHOD, SCHEME, ['x-a', 'b'], PATH]],
    ['a response pseudo-header field', [METHOD, SCHEME, PATH, [':status', '200']]],
    ['an upper-case name', [METHOD, SCHEME, PATH, ['X-A', 'b']]],
    ['a connection-specific field', [METHOD, SCHEME, PATH, ['connection', 'close']]],
    ['te other than trailers', [METHOD, SCHEME, PATH, ['te', 'gzip']]],
  ];
  test.each(malformed)('%s is a stream error (RFC 9113 8.1.1)', async (_name, fields) => {
    const client = await open();
    const flags = h2.END_HEADERS | h2.END_STREAM;
    client.send(h2.frame(h2.HEADERS, flags, 1, h2.fieldBlock(fields)), h2.get(3, '/healthz'));
    await until(() => client.isDone(3));
    expect(client.reset(1)).toBe(PROTOCOL_ERROR);
    expect(client.content(3)).toBe('OK');
  });

  test.each([
    ['connection', 'close'],
    ['proxy-connection', 'close'],
    ['keep-alive', 'timeout=1'],
    ['upgrade', 'h2c'],
    ['transfer-encoding', 'chunked'],
    ['content-length', '5'],
    ['te', 'gzip'],
    [':path', '/healthz'],
  ])('%s: %s among the trailers is a stream error (RFC 9113 8.1.1)', async (name, value) => {
    const client = await open();
    const trailers = h2.fieldBlock([[name, value]]);
    client.send(
      h2.post(1, '/anything'),
      h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, 1, trailers),
      h2.get(3, '/healthz'),
    );
    await until(() => client.isDone(3));
    expect(client.reset(1)).toBe(PROTOCOL_ERROR);
    expect(client.isDone(1)).toBe(false);
  });

  test.each(['host', 'te', 'trailer', 'expect'])(
    '%s among the trailers has no effect',
    async (name) => {
      const client = await open();
      const trailers = h2.fieldBlock([[name, name === 'te' ? 'trailers' : 'evil']]);
      client.send(
        h2.post(1, '/anything'),
        h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, 1, trailers),
        h2.get(3, '/healthz'),
      );
      await until(() => client.isDone(3) && client.isDone(1));
      expect(client.content(1)).toMatch(/"url": "https?:\/\/x\/anything"/);
    },
  );

  test('CONNECT gets 501, and the session stays open', async () => {
    const client = await open();
    const fields = [
      [':method', 'CONNECT'],
      [':authority', 'x:443'],
    ] as const;
    client.send(h2.frame(h2.HEADERS, h2.END_HEADERS, 1, h2.fieldBlock(fields)));
    client.send(h2.get(3, '/healthz'));
    await until(() => client.isDone(1) && client.isDone(3));
    expect(JSON.parse(client.content(1))).toMatchObject({ status: 501 });
    expect(client.content(3)).toBe('OK');
  });

  test('a header list that is too large is rejected, and the session stays open', async () => {
    const client = await open();
    const block = h2.fieldBlock([
      [':method', 'GET'],
      [':scheme', 'http'],
      [':path', '/anything'],
      ...Array.from({ length: 9 }, (_field, at): [string, string] => [`x-${at}`, 'a'.repeat(5000)]),
    ]);
    const flags = h2.END_STREAM;
    client.send(
      h2.frame(h2.HEADERS, flags, 1, block.subarray(0, 16_000)),
      h2.frame(h2.CONTINUATION, 0, 1, block.subarray(16_000, 32_000)),
      h2.frame(h2.CONTINUATION, h2.END_HEADERS, 1, block.subarray(32_000)),
      h2.get(3, '/healthz'),
    );
    await until(() => client.isDone(3));
    expect(client.reset(1)).toBeDefined();
    expect(client.content(3)).toBe('OK');
  });

  test('every one of 800 fields is echoed', async () => {
    const client = await open();
    const fields = Array.from({ length: 800 }, (_field, at): [string, string] => [`x-${at}`, '']);
    // With `wire` an inspected response exceeds the default windows.
    const enlarge = [0, 1].map((stream) =>
      h2.frame(h2.WINDOW_UPDATE, 0, stream, h2.uint32(2 ** 20)),
    );
    client.send(h2.get(1, '/anything', ...fields), ...enlarge);
    await until(() => client.isDone(1));
    expect(JSON.parse(client.content(1))).toMatchObject({ headers: { 'x-0': '', 'x-799': '' } });
  });

  test.each([
    ['more', 'content', '3'],
    ['less', 'content', '30'],
  ])(
    '%s content than announced is a stream error (RFC 9113 8.1.1)',
    async (_name, content, length) => {
      const client = await open();
      client.send(
        h2.post(1, '/anything', ['content-length', length]),
        h2.frame(h2.DATA, h2.END_STREAM, 1, Buffer.from(content)),
      );
      // On Node 22 and later the error ends the session, not only the stream.
      await until(() => client.reset(1) !== undefined || client.goaway() !== undefined);
      await settled(adapters());
      expect(client.isDone(1)).toBe(false);
    },
  );

  test.each([
    ['idle', 0],
    ['waiting for a response', 1],
  ])('a client that sends FIN while %s leaves nothing open', async (_name, requests) => {
    const before = adapters().held.length;
    const client = await open();
    if (requests > 0) client.send(h2.get(1, '/hold'));
    else client.send(h2.get(1, '/healthz'));
    await until(() => (requests > 0 ? adapters().held.length > before : client.isDone(1)));
    client.socket.end();
    await until(allClosed);
  });

  test('250 concurrent streams get responses', async () => {
    const before = adapters().held.length;
    const client = await open();
    await until(() => client.got(h2.SETTINGS).length > 0);
    const streams = Array.from({ length: 250 }, (_stream, at) => 2 * at + 1);
    client.send(...streams.map((stream) => h2.get(stream, '/hold')));
    await until(() => adapters().held.length === before + 250);
    for (const held of adapters().held.slice(before)) held.respond();
    await until(() => streams.every((stream) => client.isDone(stream)));
    await settled(adapters());
  });
});
