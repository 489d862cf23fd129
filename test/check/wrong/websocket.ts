import { Opcode } from '../../../src/wire/websocket/frame.ts';
import type { UpgradeDeviation } from '../_gateway-upgrade.ts';
import { wrong, type Setup, type Turns, type WrongProxy } from '../_wrong.ts';

export const UPGRADING: Setup = { scheme: 'http', hasUpgrade: true };
export const HTTP2_UPGRADING: Setup = { ...UPGRADING, hasHttp2Origin: true };

const upgrading = (name: string, turns: Turns, upgrade: UpgradeDeviation): WrongProxy => ({
  ...wrong(name, turns, { upgrade }),
  setup: UPGRADING,
});

/** One that does not do what a check waits for. */
export const silentUpgrade = (...args: Parameters<typeof upgrading>): WrongProxy => ({
  ...upgrading(...args),
  isSilent: true,
});

/** Bits of a frame (RFC 6455 5.2), and the bytes before the content of a short one that is masked. */
const FIN = 0x80;
const RSV1 = 0x40;
const MASKED_HEAD = 6;

/** Replaces bytes of a piece, as latin1. */
function replacing(bytes: string, by: string): (piece: Buffer) => Buffer {
  return (piece) => Buffer.from(piece.toString('latin1').replace(bytes, by), 'latin1');
}

/** Keeps a connection to the origin whose stream the client has ended. */
const keepingOrigin = (keepsOrigin: 'closed' | 'reset'): WrongProxy =>
  silentUpgrade(
    `keeps a connection to the origin whose stream is ${keepsOrigin}`,
    'websocket/connect-ends',
    { connect: { keepsOrigin } },
  );

/** Gateways that forward Upgrade wrongly. */
export const wrongWebsockets: readonly WrongProxy[] = [
  upgrading('drops Sec-WebSocket-Accept', 'websocket/handshake', {
    drops: ['sec-websocket-accept'],
  }),
  upgrading(
    'drops the extensions that a client offers',
    {
      'websocket/offered': 'fail',
      'websocket/compressed-fragments': 'not-applicable',
      'websocket/compressed-final-block': 'not-applicable',
      'websocket/deflate-answer': 'not-applicable',
    },
    { dropsSent: ['sec-websocket-extensions'] },
  ),
  upgrading(
    'drops the answer to an offer of compression',
    {
      'websocket/deflate-answer': 'fail',
      'websocket/selected': 'fail',
      'websocket/compressed-fragments': 'not-applicable',
      'websocket/compressed-final-block': 'not-applicable',
    },
    { drops: ['sec-websocket-extensions'] },
  ),
  upgrading('limits the window of clients that cannot', 'websocket/deflate-answer', {
    value: (value) =>
      value === 'permessage-deflate' ? `${value}; client_max_window_bits=12` : value,
  }),
  upgrading('lets the origin have a larger window than is offered', 'websocket/deflate-answer', {
    value: (value) => value.replace(/server_max_window_bits=\d+/, 'server_max_window_bits=15'),
  }),
  upgrading('corrects offers', 'websocket/deflate-answer', {
    sentValue: (value) => value.replace('; x_check', ''),
  }),
  upgrading('forwards fragments of compressed messages as text', 'websocket/compressed-fragments', {
    changeSent: (piece) =>
      piece[0] === (RSV1 | Opcode.text)
        ? Buffer.concat([Buffer.of(Opcode.text), piece.subarray(1)])
        : piece,
  }),
  silentUpgrade('forwards nothing after a final block', 'websocket/compressed-final-block', {
    changeSent: (piece) =>
      piece[0] === (FIN | RSV1 | Opcode.text)
        ? piece.subarray(0, MASKED_HEAD + (piece.readUInt8(1) & 0x7f))
        : piece,
  }),
  upgrading('drops the subprotocol that the origin selects', 'websocket/selected', {
    drops: ['sec-websocket-protocol'],
  }),
  upgrading('replaces what is not ASCII in text', 'websocket/text', {
    changeSent: replacing('\u00c3\u00a9', '??'),
  }),
  upgrading('replaces NUL in binary data', 'websocket/binary', {
    changeSent: replacing('\0\u0001\u0002\u0003', ' \u0001\u0002\u0003'),
  }),
  upgrading('resets the length of messages that are larger than 64 KiB', 'websocket/large', {
    changeSent: replacing('\u0082\u00ff\0\0\0\0\0\u0001', '\u0082\u00ff\0\0\0\0\0\0'),
  }),
  silentUpgrade('drops pings of the client', 'websocket/fragments', {
    changeSent: replacing('\u0089\u0084\0\0\0\0ping', ''),
  }),
  upgrading('closes with a code of its own', ['websocket/close', 'websocket/from-origin'], {
    change: replacing('\u000f\u00a1checked', '\u0003\u00e8checked'),
  }),
  silentUpgrade(
    'keeps a connection to the origin whose client has closed its own',
    'websocket/client-closes',
    { keepsOrigin: 'closed' },
  ),
  silentUpgrade(
    'keeps a connection to the origin whose client has reset its own',
    'websocket/client-resets',
    { keepsOrigin: 'reset' },
  ),
  silentUpgrade(
    'loses the last byte of what follows 101',
    ['websocket/from-origin', 'websocket/frames'],
    { change: (piece) => piece.subarray(0, -1) },
  ),
  silentUpgrade('loses what comes with a 101', ['websocket/frames', 'websocket/with-101'], {
    dropsFirst: true,
  }),
  silentUpgrade('keeps a connection open that the origin has closed', 'websocket/origin-closes', {
    keepsOpen: true,
  }),
  upgrading('answers pings of the origin itself', 'websocket/frames', {
    change: replacing('\u0089\u0004ping', ''),
  }),
  {
    name: 'does not forward Upgrade',
    deviation: {},
    turns: { 'upgrade/websocket': 'differs' },
    setup: UPGRADING,
    breaksOthers: true,
  },
  upgrading('takes a refusal for 101', 'websocket/refused', { ignoresStatus: true }),
  {
    name: 'offers extended CONNECT, and refuses it',
    deviation: { settings: { enableConnectProtocol: true } },
    turns: { 'websocket/extended-connect': 'fail' },
    setup: UPGRADING,
    breaksOthers: true,
  },
  upgrading(
    'drops the subprotocol of a WebSocket by extended CONNECT',
    'websocket/extended-connect',
    { connect: { drops: ['sec-websocket-protocol'] } },
  ),
  silentUpgrade(
    'forwards no message of a WebSocket by extended CONNECT',
    'websocket/extended-connect',
    { connect: { changeSent: () => Buffer.alloc(0) } },
  ),
  keepingOrigin('closed'),
  keepingOrigin('reset'),
  {
    ...upgrading(
      'does not accept a WebSocket at an origin on HTTP/2 by itself',
      'websocket/h2-origin',
      { drops: ['sec-websocket-accept'] },
    ),
    setup: HTTP2_UPGRADING,
  },
  {
    ...upgrading('forwards no message to an origin on HTTP/2', 'websocket/h2-origin', {
      changeSent: () => Buffer.alloc(0),
    }),
    setup: HTTP2_UPGRADING,
    isSilent: true,
  },
];
