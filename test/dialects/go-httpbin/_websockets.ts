import { Opcode } from '../../../src/wire/websocket/frame.ts';
import { WebSocketReader } from '../../../src/wire/websocket/frame-reader.ts';
import { openSocket } from '../../_raw.ts';
import { frame, HANDSHAKE } from '../../_websocket.ts';

/** A case of /websocket/echo with --max-body-size 1024: what is sent, and what go-httpbin 2.26 does. */
export type WebSocketCase = readonly [
  query: string,
  /** Fields of the request. */
  fields: string,
  frames: readonly Buffer[],
  outcome: string,
];

const close = (code: number, reason: string | Buffer = ''): Buffer =>
  frame(Opcode.close, Buffer.concat([Buffer.of(code >> 8, code & 0xff), Buffer.from(reason)]));
const text = (content: string | Uint8Array, isFinal = true): Buffer => frame(1, content, isFinal);
const bad = (detail: string): string => `400 Bad Request: ${detail}`;

const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';

export const handshakes: readonly WebSocketCase[] = [
  ['', HANDSHAKE, [frame(Opcode.close)], 'close 1000'],
  ['max_fragment_size=1&max_message_size=2', HANDSHAKE, [frame(8)], 'close 1000'],
  ['max_fragment_size=1024&max_message_size=1024', HANDSHAKE, [frame(8)], 'close 1000'],
  ['max_fragment_size=&max_message_size=&other=1', HANDSHAKE, [frame(8)], 'close 1000'],
  [
    'max_fragment_size=0',
    HANDSHAKE,
    [],
    bad('invalid max_fragment_size: 0 not in range [1, 1024]'),
  ],
  [
    'max_fragment_size=-1',
    HANDSHAKE,
    [],
    bad('invalid max_fragment_size: -1 not in range [1, 1024]'),
  ],
  [
    'max_message_size=1025',
    HANDSHAKE,
    [],
    bad('invalid max_message_size: 1025 not in range [1, 1024]'),
  ],
  [
    'max_fragment_size=foo',
    HANDSHAKE,
    [],
    bad('invalid max_fragment_size: strconv.ParseInt: parsing "foo": invalid syntax'),
  ],
  [
    'max_message_size=2147483648',
    HANDSHAKE,
    [],
    bad('invalid max_message_size: strconv.ParseInt: parsing "2147483648": value out of range'),
  ],
  [
    'max_message_size=2',
    HANDSHAKE,
    [],
    bad('max_fragment_size 512 must be less than or equal to max_message_size 2'),
  ],
  ['', '', [], bad('missing required `Upgrade: websocket` header')],
  ['', UPGRADE + KEY, [], bad('only websocket version "13" is supported, got ""')],
  [
    '',
    `${UPGRADE}${KEY}Sec-WebSocket-Version: 8\r\n`,
    [],
    bad('only websocket version "13" is supported, got "8"'),
  ],
  [
    '',
    `${UPGRADE}Sec-WebSocket-Version: 13\r\n`,
    [],
    bad('missing required `Sec-Websocket-Key` header'),
  ],
];

export const messages: readonly WebSocketCase[] = [
  ['', HANDSHAKE, [text('a'), frame(2, 'b'), close(4999, 'bye')], 'text a, binary b, close 1000'],
  [
    '',
    HANDSHAKE,
    [text('a', false), frame(0, 'b', false), frame(9, 'p'), frame(0, 'c'), close(1000)],
    'pong p, text abc, close 1000',
  ],
  ['', HANDSHAKE, [text(''), frame(10, 'x'), close(1001)], 'text , close 1000'],
  ['', HANDSHAKE, [Buffer.of(0x81, 1, 0x61)], 'close 1002 received unmasked client frame'],
  [
    '',
    HANDSHAKE,
    [Buffer.of(0xc1, 0x80, 1, 2, 3, 4)],
    'close 1002 frame has unsupported RSV bits set',
  ],
  ['', HANDSHAKE, [frame(3)], 'close 1002 unsupported opcode: 3'],
  ['', HANDSHAKE, [frame(0)], 'close 1002 unexpected continuation frame'],
  ['', HANDSHAKE, [text('a', false), text('b')], 'close 1002 continuation frame expected'],
  ['', HANDSHAKE, [text(Buffer.of(0xff))], 'close 1007 invalid UTF-8'],
  [
    '',
    HANDSHAKE,
    [frame(8, 'x')],
    'close 1002 invalid close frame payload: must be at least 2 bytes',
  ],
  [
    '',
    HANDSHAKE,
    [close(1005)],
    'close 1002 invalid close frame payload: status code 1005 is reserved',
  ],
];

const NAMES: Readonly<Record<number, string>> = { 1: 'text', 2: 'binary', 8: 'close', 10: 'pong' };

/** What a server does: the status and detail of its response or, once the WebSocket is open, the frames that it sends. */
export async function outcomeOf(port: number, [query, fields, frames]: WebSocketCase) {
  const socket = await openSocket(port);
  const head = `GET /websocket/echo?${query} HTTP/1.1\r\nHost: x\r\n${fields}`;
  socket.write(fields === HANDSHAKE ? `${head}\r\n` : `${head}Accept: */*\r\n\r\n`);
  let bytes = Buffer.alloc(0);
  const isOpen = frames.length > 0;
  socket.on('data', (piece: Buffer) => {
    const hadHead = bytes.includes('\r\n\r\n');
    bytes = Buffer.concat([bytes, piece]);
    if (!hadHead && bytes.includes('\r\n\r\n') && isOpen) socket.write(Buffer.concat(frames));
    if (!isOpen && bytes.includes('"detail"') && bytes.includes('\n}')) socket.end();
  });
  await new Promise((resolve) => {
    socket.once('end', resolve).once('close', resolve);
  });
  socket.destroy();
  const start = bytes.indexOf('\r\n\r\n') + 4;
  const [, status = ''] = /^HTTP\/1\.1 (\d+ [^\r]*)/.exec(bytes.toString('latin1')) ?? [];
  if (!status.startsWith('101')) {
    const { detail } = JSON.parse(bytes.toString('utf8', start)) as { readonly detail: string };
    return `${status}: ${detail}`;
  }
  const limits = { isMasked: false, maxFrame: 2000, maxMessage: 2000 };
  const found: string[] = [];
  for (const { opcode, content } of new WebSocketReader(limits).read(bytes.subarray(start))) {
    const shown =
      opcode === Opcode.close
        ? `${content.readUInt16BE()} ${content.toString('utf8', 2)}`.trim()
        : content.toString();
    found.push(`${NAMES[opcode] ?? opcode} ${shown}`);
  }
  return found.join(', ');
}
