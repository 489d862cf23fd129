import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http2';
import { duplexPair, type Duplex } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { connectHttp2, createHttp2Server } from '../../../src/net/http2-sessions.ts';
import { SettingId } from '../../../src/wire/http2/frame.ts';
import { POST, Side } from './_side.ts';

/** Joins one side of a connection to a stream. */
function attach(side: Side, stream: Duplex): () => void {
  const flush = (): void => {
    for (let bytes = side.take(); bytes.length > 0; bytes = side.take()) stream.write(bytes);
  };
  stream.on('data', (piece: Buffer) => {
    side.connection.receive(piece);
    // As from a socket: Node's sessions do not expect bytes while they write.
    setImmediate(flush);
  });
  flush();
  onTestFinished(() => void stream.destroy());
  return flush;
}

/** Sizes of content: within a frame, above it, and above the windows. */
const SIZES = [0, 1, 100, 16_384, 16_385, 65_535, 65_536, 300_000, 1_000_000];
const contentOf = (size: number): Buffer =>
  Buffer.alloc(size, 'The quick brown fox jumps over the lazy dog. ');

test.each([{ window: 65_535 }, { window: 1000 }, { window: 1_000_000 }])(
  'a client with windows of $window bytes, and a server of node:http2',
  async ({ window }) => {
    const [near, far] = duplexPair();
    const server = createHttp2Server({ settings: { initialWindowSize: window } });
    server.on('stream', (stream, headers) => {
      const pieces: Buffer[] = [];
      stream.additionalHeaders({ ':status': 103, link: '</a>' });
      stream.on('data', (piece: Buffer) => void pieces.push(piece));
      stream.on('end', () => {
        stream.respond({ ':status': 200, 'x-path': headers[':path'] }, { waitForTrailers: true });
        stream.on('wantTrailers', () =>
          stream.sendTrailers({ 'x-length': `${Buffer.concat(pieces).length}` }),
        );
        stream.end(Buffer.concat(pieces));
      });
    });
    server.emit('connection', far);
    const client = new Side('client', {
      settings: [{ id: SettingId.initialWindowSize, value: window }],
      window,
    });
    const flush = attach(client, near);
    const done = new Promise<void>((resolve) => {
      client.react = (event) =>
        event.startsWith('end') && client.connection.streamCount === 0 && resolve();
    });
    for (const size of SIZES) {
      const stream = client.connection.open(
        [...POST.slice(0, 4), ':path', `/${size}`, ':authority', 'a'],
        false,
        '',
      );
      client.connection.send(stream, contentOf(size), true);
    }
    flush();
    await done;
    for (const [at, size] of SIZES.entries()) {
      const id = 2 * at + 1;
      expect(
        client.events.filter((event) => event.includes(` ${id} `) && !event.startsWith('sent')),
      ).toEqual([
        `interim ${id} :status=103 link=</a>`,
        expect.stringContaining(`head ${id} :status=200 x-path=/${size}`),
        `trailers ${id} x-length=${size} end`,
      ]);
      expect(client.received(id) === contentOf(size).toString()).toBe(true);
    }
    expect(client.violation).toBeUndefined();
  },
);

test.each([{ window: 65_535 }, { window: 1000 }, { window: 1_000_000 }])(
  'a server with windows of $window bytes, and a client of node:http2',
  async ({ window }) => {
    const [near, far] = duplexPair();
    const server = new Side('server', {
      settings: [
        { id: SettingId.initialWindowSize, value: window },
        { id: SettingId.headerTableSize, value: 100 },
      ],
      window,
    });
    server.react = (event, stream) => {
      if (event !== `end ${stream.id}`) return;
      const content = Buffer.from(server.received(stream.id), 'latin1');
      server.connection.sendHeaders(stream, [':status', '103', 'link', '</a>'], false);
      server.connection.sendHeaders(stream, [':status', '200', 'x-id', `${stream.id}`], false);
      server.connection.send(stream, content, false);
      server.connection.sendTrailers(stream, ['x-length', `${content.length}`]);
    };
    attach(server, far);
    const session = connectHttp2('http://a', {
      createConnection: () => near,
      settings: { initialWindowSize: window },
    });
    onTestFinished(() => session.destroy());
    const responses = SIZES.map(async (size, at) => {
      const stream = session.request({ ':method': 'POST', ':path': `/${size}` });
      const interim: number[] = [];
      let trailers: IncomingHttpHeaders = {};
      stream.on('headers', ({ ':status': status = 0 }) => void interim.push(status));
      stream.on('trailers', (given) => void (trailers = given));
      const head = once(stream, 'response') as Promise<[IncomingHttpHeaders]>;
      stream.end(contentOf(size));
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => void pieces.push(piece));
      await once(stream, 'end');
      expect(interim).toEqual([103]);
      expect((await head)[0]['x-id']).toBe(`${2 * at + 1}`);
      expect(Buffer.concat(pieces).equals(contentOf(size))).toBe(true);
      expect(trailers['x-length']).toBe(`${size}`);
    });
    await Promise.all(responses);
    expect(server.violation).toBeUndefined();
    // SETTINGS while streams are open, PING and the end.
    await new Promise<void>((resolve) => session.settings({ headerTableSize: 0 }, () => resolve()));
    await new Promise<void>((resolve) => void session.ping(() => resolve()));
    session.close();
    await once(session, 'close');
    expect(server.events).toContain('settings 1:0');
  },
);
