import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { encodeFrame, Opcode, type WebSocketFrame } from '../../../src/wire/websocket/frame.ts';
import { overBothProtocols } from '../../_everywhere.ts';
import { startService } from '../../_service.ts';
import { closeWebSockets, frame, MASK, openWebSocket } from '../../_websocket.ts';

afterEach(closeWebSockets);

const TAIL = Buffer.of(0, 0, 0xff, 0xff);
const SETTINGS = ['--h2-enable-connect-protocol', '--websocket-deflate'];

/** `Hello`, as RFC 7692 7.2.3.1 compresses it. */
const HELLO = Buffer.from('f248cdc9c90700', 'hex');
const compressed = (content: Uint8Array): Buffer =>
  encodeFrame(
    { isFinal: true, opcode: Opcode.text, isCompressed: true, content: Buffer.from(content) },
    MASK,
  );

/** The content of a message whose window is its own. */
function inflate(frames: readonly WebSocketFrame[]): string {
  const content = Buffer.concat([...frames.map((each) => each.content), TAIL]);
  return inflateRawSync(content, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
}

overBothProtocols(({ transport, running }) => {
  const open = (query: string, offer = 'permessage-deflate') =>
    openWebSocket(transport, running().port, `/websocket/echo?${query}`, {
      ...(offer !== '' && { fields: { 'sec-websocket-extensions': offer } }),
    });

  test('final-block: RFC 7692 7.2.3.4, and a next message', async () => {
    const socket = await open('final-block');
    socket.send(compressed(HELLO), compressed(HELLO), frame(Opcode.text, 'plain'));
    const [first, second, plain] = await socket.received(3);
    expect(first?.content.toString('hex')).toBe('f348cdc9c9070000');
    expect(second).toEqual(first);
    expect(plain).toMatchObject({ isCompressed: false, content: Buffer.from('plain') });
  });

  test('final-block: also of an empty message', async () => {
    const socket = await open('final-block');
    socket.send(compressed(Buffer.of(0)), compressed(HELLO));
    const [empty, next] = await socket.received(2);
    expect(empty?.content.toString('hex')).toBe('030000');
    expect(empty && inflate([empty])).toBe('');
    expect(next?.content.toString('hex')).toBe('f348cdc9c9070000');
  });

  test('final-block: content that takes more than a piece of output', async () => {
    const socket = await open('final-block', 'permessage-deflate; server_no_context_takeover');
    const text = Array.from({ length: 40_000 }, (_, at) => (at * at).toString(36)).join('');
    const sent = deflateRawSync(text, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, -4);
    socket.send(compressed(sent), compressed(HELLO));
    const [first, second] = await socket.received(2);
    expect(first && inflate([first])).toBe(text);
    expect(second?.content.toString('hex')).toBe('f348cdc9c9070000');
  });

  test('split: a Ping is within each message, compressed or not', async () => {
    const socket = await open('split');
    socket.send(compressed(HELLO), frame(Opcode.binary, 'abc'), frame(Opcode.text));
    const frames = await socket.received(9);
    expect(
      frames.map(({ opcode, isFinal, isCompressed }) => [opcode, isFinal, isCompressed]),
    ).toEqual([
      [Opcode.text, false, true],
      [Opcode.ping, true, false],
      [Opcode.continuation, true, false],
      [Opcode.binary, false, false],
      [Opcode.ping, true, false],
      [Opcode.continuation, true, false],
      [Opcode.text, false, false],
      [Opcode.ping, true, false],
      [Opcode.continuation, true, false],
    ]);
    const data = frames.filter(({ opcode }) => opcode !== Opcode.ping);
    expect(inflate(data.slice(0, 2))).toBe('Hello');
    expect(data.slice(2).map(({ content }) => content.toString())).toEqual(['a', 'bc', '', '']);
    const pings = frames.filter(({ opcode }) => opcode === Opcode.ping);
    expect(pings.map(({ content }) => content.toString())).toEqual(['1', '2', '3']);
  });

  test('split: fragments of a message become fragments of the same message', async () => {
    const socket = await open('split', '');
    socket.send(frame(Opcode.text, 'ab', false), frame(Opcode.continuation, 'cd'));
    const frames = await socket.received(6);
    const data = frames.filter(({ opcode }) => opcode !== Opcode.ping);
    expect(data.map(({ opcode, isFinal }) => [opcode, isFinal])).toEqual([
      [Opcode.text, false],
      [Opcode.continuation, false],
      [Opcode.continuation, false],
      [Opcode.continuation, true],
    ]);
    expect(Buffer.concat(data.map(({ content }) => content)).toString()).toBe('abcd');
  });

  test.each([
    'permessage-deflate; server_max_window_bits=10',
    'permessage-deflate; x-unknown',
    'x-other, permessage-deflate',
  ])('oblivious-deflate accepts %s', async (offer) => {
    const socket = await open('oblivious-deflate', offer);
    expect(socket.fields['sec-websocket-extensions']).toBe(
      'permessage-deflate; server_no_context_takeover; client_no_context_takeover',
    );
    socket.send(compressed(HELLO), compressed(HELLO));
    const echoes = await socket.received(2);
    expect(echoes.map((echo) => inflate([echo]))).toEqual(['Hello', 'Hello']);
  });

  test.each([
    ['final-block', ''],
    ['final-block', 'permessage-deflate; x-unknown'],
    ['oblivious-deflate', 'x-other'],
  ])('%s without permessage-deflate (offered: %s) fails the handshake', async (query, offer) => {
    await expect(open(query, offer)).rejects.toThrow('400');
  });
}, SETTINGS);

test.each(['final-block', 'oblivious-deflate'])(
  '%s without --websocket-deflate fails the handshake',
  async (query) => {
    const { port } = await startService();
    const fields = { 'sec-websocket-extensions': 'permessage-deflate' };
    const opened = openWebSocket('http/1.1', port, `/websocket/echo?${query}`, { fields });
    await expect(opened).rejects.toThrow('400');
  },
);
