import { randomBytes } from 'node:crypto';
import {
  constants,
  createDeflateRaw,
  createInflateRaw,
  deflateRawSync,
  inflateRawSync,
} from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { encodeFrame, Opcode } from '../../../src/wire/websocket/frame.ts';
import { overBothProtocols } from '../../_everywhere.ts';
import { startService } from '../../_service.ts';
import {
  closeWebSockets,
  frame,
  MASK,
  openWebSocket,
  type WebSocketClient,
} from '../../_websocket.ts';

afterEach(closeWebSockets);

const TAIL = Buffer.of(0, 0, 0xff, 0xff);
const SETTINGS = ['--h2-enable-connect-protocol', '--websocket-deflate', '--max-body-size=2M'];

/** A message as RFC 7692 7.2.1 compresses it, without a context before. */
function compress(content: string | Uint8Array): Buffer {
  const bytes = deflateRawSync(Buffer.from(content), { finishFlush: constants.Z_SYNC_FLUSH });
  return bytes.subarray(0, -TAIL.length);
}

function inflate(content: Uint8Array): Buffer {
  const bytes = Buffer.concat([content, TAIL]);
  return inflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
}

/** A frame that begins a compressed message. */
const compressed = (content: Uint8Array, opcode: number = Opcode.text, isFinal = true): Buffer =>
  encodeFrame({ isFinal, opcode, isCompressed: true, content: Buffer.from(content) }, MASK);

overBothProtocols(({ transport, running }) => {
  const open = async (parameters = '', target?: string): Promise<WebSocketClient> =>
    openWebSocket(transport, running().port, target, {
      fields: { 'sec-websocket-extensions': `permessage-deflate${parameters}` },
    });

  test('a compressed message comes back compressed, others as they were', async () => {
    const socket = await open();
    expect(socket.fields['sec-websocket-extensions']).toBe('permessage-deflate');
    socket.send(
      compressed(compress('a'.repeat(1000))),
      frame(Opcode.binary, 'b'),
      compressed(compress(''), Opcode.binary),
    );
    const [first, second, third] = await socket.received(3);
    expect(first).toMatchObject({ opcode: Opcode.text, isCompressed: true, isFinal: true });
    expect(inflate(first?.content ?? Buffer.of()).toString()).toBe('a'.repeat(1000));
    expect(second).toMatchObject({ isCompressed: false, content: Buffer.from('b') });
    expect(third).toMatchObject({ isCompressed: true, content: Buffer.of(0) });
  });

  test('RFC 7692 7.2.3.2: both sides keep their window', async () => {
    const socket = await open();
    const deflate = createDeflateRaw({ flush: constants.Z_SYNC_FLUSH });
    const content = randomBytes(2000);
    const sizes: number[] = [];
    const inflater = createInflateRaw();
    const found: Buffer[] = [];
    inflater.on('data', (piece: Buffer) => found.push(piece));
    for (let round = 0; round < 3; round++) {
      const pieces: Buffer[] = [];
      const add = (piece: Buffer): void => void pieces.push(piece);
      deflate.on('data', add);
      await new Promise((resolve) => deflate.write(content, resolve));
      while (deflate.read() !== null);
      deflate.off('data', add);
      socket.send(compressed(Buffer.concat(pieces).subarray(0, -TAIL.length), Opcode.binary));
      const [echo] = await socket.received(1);
      sizes.push(echo?.content.length ?? 0);
      inflater.write(Buffer.concat([echo?.content ?? Buffer.of(), TAIL]));
      await new Promise<void>((resolve) => inflater.flush(() => resolve()));
    }
    expect(Buffer.concat(found).equals(Buffer.concat([content, content, content]))).toBe(true);
    expect(sizes[0]).toBeGreaterThan(2000);
    expect(sizes[1]).toBeLessThan(200);
    deflate.close();
    inflater.close();
  });

  test('RFC 7692 7.1.1: without context takeover, each message stands for itself', async () => {
    const socket = await open('; server_no_context_takeover; client_no_context_takeover');
    const content = randomBytes(2000);
    for (let round = 0; round < 3; round++) socket.send(compressed(compress(content), 2));
    for (const echo of await socket.received(3)) {
      expect(inflate(echo.content).equals(content)).toBe(true);
    }
  });

  test.each([8, 9, 15])('RFC 7692 7.1.2: a window of 2^%d bytes', async (bits) => {
    const socket = await open(`; server_max_window_bits=${bits}; client_max_window_bits=${bits}`);
    const half = randomBytes(2 ** (bits - 1));
    // Repeated at a distance that is just too far.
    const content = Buffer.concat([half, half, Buffer.from('x'), half, half]);
    socket.send(
      compressed(
        deflateRawSync(content, { level: 0, finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, -4),
        2,
      ),
    );
    const [echo] = await socket.received(1);
    const bytes = Buffer.concat([echo?.content ?? Buffer.of(), TAIL]);
    const options = { windowBits: bits, finishFlush: constants.Z_SYNC_FLUSH };
    expect(inflateRawSync(bytes, options).equals(content)).toBe(true);
  });

  test('fragments, of which some end within a DEFLATE block, with a Ping in their midst', async () => {
    const socket = await open();
    const content = 'é€😀'.repeat(100);
    const bytes = compress(content);
    socket.send(
      compressed(bytes.subarray(0, 1), Opcode.text, false),
      frame(Opcode.continuation, '', false),
      frame(Opcode.ping, 'p'),
      ...Array.from(bytes.subarray(1), (byte) => frame(0, Buffer.of(byte), false)),
      frame(Opcode.continuation, ''),
    );
    const [pong, echo] = await socket.received(2);
    expect(pong).toMatchObject({ opcode: Opcode.pong, content: Buffer.from('p') });
    expect(inflate(echo?.content ?? Buffer.of()).toString()).toBe(content);
  });

  test('RFC 7692 7.2.3.4, 7.2.3.5: blocks that are marked as the last, and several', async () => {
    const socket = await open();
    const hello = Buffer.from('f348cdc9c9070000', 'hex');
    socket.send(
      compressed(hello),
      compressed(Buffer.from('f248050000 00ffffcac9c90700'.replace(' ', ''), 'hex')),
      compressed(hello),
    );
    const texts = (await socket.received(3)).map(({ content }) => content);
    const inflater = createInflateRaw();
    const found: Buffer[] = [];
    inflater.on('data', (piece: Buffer) => found.push(piece));
    inflater.write(Buffer.concat(texts.flatMap((each) => [each, TAIL])));
    await new Promise<void>((resolve) => inflater.flush(() => resolve()));
    expect(Buffer.concat(found).toString()).toBe('HelloHelloHello');
    inflater.close();
  });

  const MiB = 1024 * 1024;
  const MAX = 2 * MiB;
  test.each<[string, string, readonly Buffer[]]>([
    [
      'text is validated',
      '1007 a text message is not UTF-8',
      [compressed(compress(Buffer.of(0x61, 0xff)))],
    ],
    [
      'what is no DEFLATE',
      '1007 a message cannot be inflated',
      [compressed(Buffer.of(0xff, 0xff))],
    ],
    // RFC 7692 7.2.2: with 00 00 ff ff at its end, a message ends in an empty block.
    ...[
      ['no byte, not even of an empty block', ''],
      ['a last block, and no empty one after it (7.2.3.4)', 'f348cdc9c90700'],
      ['a last block that the end completes', '03'],
      ['half of a block of fixed codes', 'f248cd'],
      ['a stored block without its last 4 bytes', '000500faff48'],
      ['half of the header of a block of dynamic codes', '04'],
    ].map(([name = '', hex = '']): [string, string, readonly Buffer[]] => [
      name,
      '1007 a message cannot be inflated',
      [compressed(compress('Hello')), compressed(Buffer.from(hex, 'hex'), Opcode.binary)],
    ]),
    [
      'too many streams',
      '1007 a message has more than 16 DEFLATE streams',
      [compressed(Buffer.alloc(200, Buffer.of(3, 0)))],
    ],
    [
      'more than 200 times',
      '1009 a message inflates to more than 200 times its size',
      [compressed(compress(Buffer.alloc(MiB + 20_000)))],
    ],
    [
      'more than the maximum',
      `1009 a message has more than ${MAX} bytes`,
      [compressed(compress(Buffer.concat([randomBytes(MAX / 2), Buffer.alloc(50 * MiB)])))],
    ],
    [
      'more than the maximum, in fragments',
      `1009 a message has more than ${MAX} bytes`,
      [
        compressed(compress(randomBytes(MAX / 2)), Opcode.binary, false),
        frame(Opcode.continuation, Buffer.concat([TAIL, compress(randomBytes(MAX / 2 + 1))])),
      ],
    ],
    ['a reserved bit', '1002 a reserved bit is set', [Buffer.of(0xa1, 0x80, 1, 2, 3, 4)]],
    [
      'a mark within a message',
      '1002 a reserved bit is set',
      [compressed(compress('a'), Opcode.text, false), compressed(Buffer.of(0), 0)],
    ],
    ['a compressed Ping', '1002 a reserved bit is set', [compressed(compress('a'), Opcode.ping)]],
  ])('%s: %s', async (_, reason, frames) => {
    const socket = await open();
    socket.send(...frames, frame(Opcode.text, 'after'));
    expect(await socket.closed()).toBe(reason);
  });

  test('up to 1 MiB, any ratio is allowed', async () => {
    const socket = await open();
    socket.send(compressed(compress(Buffer.alloc(MiB)), Opcode.binary));
    const [echo] = await socket.received(1);
    expect(inflate(echo?.content ?? Buffer.of())).toHaveLength(MiB);
  });

  test('a message of the maximum, which does not become smaller', async () => {
    const socket = await open();
    const content = randomBytes(MAX);
    socket.send(compressed(compress(content), Opcode.binary));
    const [echo] = await socket.received(1);
    expect(inflate(echo?.content ?? Buffer.of()).equals(content)).toBe(true);
  });

  test('an offer with an unknown parameter is declined', async () => {
    const socket = await open('; x');
    expect(socket.fields['sec-websocket-extensions']).toBe(undefined);
    socket.send(compressed(compress('a')));
    expect(await socket.closed()).toBe('1002 a reserved bit is set');
  });

  test('RFC 6455 9.1: a malformed list fails the handshake', async () => {
    await expect(open('; =')).rejects.toThrow('400');
  });
}, SETTINGS);

overBothProtocols(({ transport }) => {
  test('zlib counts against --max-content-memory', async () => {
    const { port } = await startService(
      '--h2-enable-connect-protocol',
      '--websocket-deflate',
      '--max-content-memory=8',
    );
    const sockets = await Promise.all(
      Array.from({ length: 40 }, () =>
        openWebSocket(transport, port, undefined, {
          fields: { 'sec-websocket-extensions': 'permessage-deflate' },
        }),
      ),
    );
    for (const socket of sockets) socket.send(compressed(compress('a')));
    const last = await Promise.all(sockets.map(async (each) => (await each.received(1))[0]));
    const refused = last.filter((each) => each?.opcode === Opcode.close);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(40);
    expect(refused[0]?.content.readUInt16BE()).toBe(1013);
  });
});

test('without --websocket-deflate, no offer is accepted', async () => {
  const { port } = await startService();
  const socket = await openWebSocket('http/1.1', port, undefined, {
    fields: { 'sec-websocket-extensions': 'permessage-deflate' },
  });
  expect(socket.fields['sec-websocket-extensions']).toBe(undefined);
});
