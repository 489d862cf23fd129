import type { ReadProxyHeader } from '../_gateway-proxy-header.ts';
import { readProxyHeader } from '../_gateway-proxy-header.ts';
import { proxyHeader } from '../../../src/check/client/proxy-header.ts';
import type { UpgradeDeviation } from '../_gateway-upgrade.ts';
import type { Deviation } from '../_gateway-messages.ts';
import { breaking, onRequest, type Setup, type WrongProxy } from '../_wrong.ts';

const PROXY: Setup = { scheme: 'http', takesProxyHeader: true };
const PROXY_ORIGIN: Setup = { scheme: 'http', sendsProxyHeader: true };
const UPGRADE: Setup = { scheme: 'http', hasUpgrade: true };

const wrongReader = (
  name: string,
  read: ReadProxyHeader,
  turns: WrongProxy['turns'],
): WrongProxy => ({
  ...breaking(name, { readProxyHeader: read }, turns),
  setup: PROXY,
});

/** Changes the address that a header names. */
const naming =
  (change: (address: string, bytes: Buffer) => string | undefined): ReadProxyHeader =>
  (bytes) => {
    const read = readProxyHeader(bytes);
    if (typeof read === 'string' || read.address === undefined) return read;
    const { address: _, ...rest } = read;
    const address = change(read.address, bytes.subarray(0, read.length));
    return address === undefined ? rest : { ...rest, address };
  };

const V2 = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');

/** One line of version 1, without a look at it. */
const line =
  (pattern: RegExp, address: (match: RegExpExecArray) => string | undefined): ReadProxyHeader =>
  (bytes) => {
    const read = readProxyHeader(bytes);
    if (read !== 'invalid') return read;
    const match = pattern.exec(bytes.toString('latin1'));
    if (!match) return 'invalid';
    const named = address(match);
    return { length: match[0].length, ...(named !== undefined && { address: named, port: 1 }) };
  };

let lastAddress: string | undefined;
/** What names no address has that of the header before. */
const remembering: ReadProxyHeader = (bytes) => {
  const read = readProxyHeader(bytes);
  if (typeof read === 'string') return read;
  lastAddress = read.address ?? lastAddress;
  return lastAddress === undefined ? read : { ...read, address: lastAddress };
};

export const wrongProxyHeaders: readonly WrongProxy[] = [
  wrongReader(
    'forwards the address of the destination',
    naming(() => '192.0.2.1'),
    {
      'proxy-protocol/address': 'fail',
    },
  ),
  wrongReader(
    'forwards a part of the address',
    naming((address) => (address.includes(':') ? '2001:db8::' : address.replace(/\d+$/, '0'))),
    { 'proxy-protocol/address': 'fail', 'proxy-protocol/address-ipv6': 'fail' },
  ),
  wrongReader(
    'forwards addresses of version 2 only',
    naming((address, bytes) => (bytes.subarray(0, 12).equals(V2) ? address : undefined)),
    { 'proxy-protocol/address': 'fail' },
  ),
  wrongReader(
    'forwards addresses of version 1 only',
    naming((address, bytes) => (bytes.subarray(0, 12).equals(V2) ? undefined : address)),
    { 'proxy-protocol/address': 'fail' },
  ),
  wrongReader('keeps the address of the header before', remembering, {
    'proxy-protocol/unknown': 'fail',
    'proxy-protocol/local': 'fail',
  }),
  wrongReader(
    'has 0.0.0.0 for what names no address',
    (bytes) => {
      const read = readProxyHeader(bytes);
      return typeof read === 'string' || read.address !== undefined
        ? read
        : { ...read, address: '0.0.0.0' };
    },
    { 'proxy-protocol/unknown': 'fail', 'proxy-protocol/local': 'fail' },
  ),
  wrongReader(
    'ignores the address of a header with TLVs',
    naming((address, bytes) =>
      bytes.length > 28 && bytes.subarray(0, 12).equals(V2) ? undefined : address,
    ),
    { 'proxy-protocol/tlvs': 'fail' },
  ),
  wrongReader(
    'takes letters for a port',
    line(/^PROXY TCP4 (\S+) \S+ \S+ \S+\r\n/, ([, address]) => address),
    { 'proxy-protocol/malformed': 'fail' },
  ),
  wrongReader(
    'takes a port above 65535',
    line(/^PROXY TCP4 (\S+) \S+ \d+ \d+\r\n/, ([, address]) => address),
    { 'proxy-protocol/malformed': 'fail' },
  ),
  wrongReader(
    'takes a header that ends in LF alone, or has another field',
    line(
      /^PROXY TCP[46] ([\d.]+) [\d.]+ \d{1,5} \d{1,5}(?: [^\r\n]*)?\r?\n/,
      ([, address]) => address,
    ),
    { 'proxy-protocol/malformed': 'fail' },
  ),
  wrongReader(
    'serves a client with an unknown family without its address',
    line(/^PROXY (?!TCP[46] |UNKNOWN)[^\r\n]*\r\n/, () => undefined),
    { 'proxy-protocol/malformed': 'fail' },
  ),
  wrongReader(
    'takes a short address',
    line(/^PROXY TCP4 (\d+(?:\.\d+){0,2}) \S+ \d+ \d+\r\n/, () => '192.0.2.1'),
    { 'proxy-protocol/malformed-address': 'fail' },
  ),
  wrongReader(
    'takes a number of an address modulo 256',
    line(/^PROXY TCP4 ([\d.]+) \S+ \d+ \d+\r\n/, ([, address = '']) =>
      address.replaceAll(/\d+/g, (digits) => String(Number(digits) % 256)),
    ),
    { 'proxy-protocol/malformed-address': 'fail' },
  ),
  wrongReader(
    'serves a client with an invalid address as one without',
    line(/^PROXY TCP4 ([\d.]+) \S+ \d+ \d+\r\n/, () => undefined),
    { 'proxy-protocol/malformed-address': 'fail' },
  ),
  wrongReader(
    'serves HTTP/2 without a header',
    (bytes) =>
      bytes.subarray(0, 3).equals(Buffer.from('PRI')) ? { length: 0 } : readProxyHeader(bytes),
    { 'proxy-protocol/missing': 'fail' },
  ),
  wrongReader(
    'serves methods other than GET without a header',
    (bytes) =>
      /^(?:POST|PUT|HEAD)/.test(bytes.toString('latin1', 0, 4))
        ? { length: 0 }
        : readProxyHeader(bytes),
    { 'proxy-protocol/missing': 'fail' },
  ),
  breaking(
    'takes a header of any client for X-Real-IP',
    ((): Deviation => {
      let spoofed = '';
      return {
        readProxyHeader: (bytes) => {
          const read = readProxyHeader(bytes);
          if (typeof read === 'string') return read === 'more' ? 'more' : { length: 0 };
          spoofed = read.address ?? '';
          return { length: read.length };
        },
        ...onRequest((request) => {
          if (spoofed) request.fields.push(['X-Real-IP', spoofed]);
        }),
      };
    })(),
    { 'proxy-protocol/spoofed-v1': 'fail', 'proxy-protocol/spoofed-v2': 'fail' },
  ),
  breaking(
    'adds an address of a header of any client to X-Forwarded-For',
    ((): Deviation => {
      let spoofed = '';
      return {
        readProxyHeader: (bytes) => {
          const read = readProxyHeader(bytes);
          if (typeof read === 'string') return read === 'more' ? 'more' : { length: 0 };
          spoofed = read.address ?? '';
          return { length: read.length };
        },
        ...onRequest((request) => {
          if (spoofed) {
            request.fields = request.fields.map(([name, value]) => [
              name,
              name === 'X-Forwarded-For' ? `${spoofed}, ${value}` : value,
            ]);
          }
        }),
      };
    })(),
    { 'proxy-protocol/spoofed-v1': 'fail', 'proxy-protocol/spoofed-v2': 'fail' },
  ),
  breaking(
    'takes a header of version 2 for IPv6 of any client',
    {
      readProxyHeader: (bytes) => {
        if (bytes[13] !== 0x21) return { length: 0 };
        const read = readProxyHeader(bytes);
        return read === 'invalid' ? { length: 0 } : read;
      },
    },
    { 'proxy-protocol/spoofed-v2': 'fail' },
  ),
  {
    ...breaking(
      'has port 0 in its header',
      {
        sendProxyHeader: ({ address }) =>
          proxyHeader('v2', { source: address.replace(/^::ffff:/, ''), sourcePort: 0 }),
      },
      { 'proxy-protocol/origin-address': 'fail' },
    ),
    setup: PROXY_ORIGIN,
  },
  {
    ...breaking(
      'has the next port in its header',
      {
        sendProxyHeader: ({ address, port }) =>
          proxyHeader('v2', { source: address.replace(/^::ffff:/, ''), sourcePort: port + 1 }),
      },
      { 'proxy-protocol/origin-address': 'fail' },
    ),
    setup: PROXY_ORIGIN,
  },
  {
    ...breaking(
      'has the first client in each header',
      ((): Deviation => {
        let header: Buffer | undefined;
        return {
          sendProxyHeader: ({ address, port }) =>
            (header ??= proxyHeader('v2', {
              source: address.replace(/^::ffff:/, ''),
              sourcePort: port,
            })),
        };
      })(),
      { 'proxy-protocol/origin-each': 'fail', 'proxy-protocol/origin-address': 'fail' },
    ),
    setup: PROXY_ORIGIN,
  },
  breaking(
    'forwards Upgrade to h2c without Connection',
    { keepsHopByHop: ['upgrade'] },
    { 'upgrade/h2c': 'fail' },
  ),
  breaking(
    'forwards HTTP2-Settings alone',
    { keepsHopByHop: ['http2-settings'] },
    {
      'upgrade/h2c': 'fail',
    },
  ),
  breaking(
    'forwards the preface of HTTP/2 as a request of HTTP/1.1',
    { readHead: (text) => text.replace(/^PRI \* HTTP\/2\.0\r\n/, 'PRI / HTTP/1.1\r\nHost: a\r\n') },
    { 'upgrade/prior-knowledge': 'fail' },
  ),
];

const wrongUpgrade = (
  name: string,
  upgrade: UpgradeDeviation,
  turns: WrongProxy['turns'],
): WrongProxy => ({
  ...breaking(name, { upgrade }, turns),
  setup: UPGRADE,
  isSilent: true,
});

/** Changes frames without a mask, which fit in a piece. */
const frames =
  (change: (frame: Buffer, opcode: number) => Buffer | undefined) =>
  (piece: Buffer): Buffer => {
    const out: Buffer[] = [];
    let at = 0;
    while (at + 2 <= piece.length) {
      const short = (piece[at + 1] ?? 0) & 0x7f;
      const isMasked = ((piece[at + 1] ?? 0) & 0x80) !== 0;
      let length = 2 + (isMasked ? 4 : 0) + short;
      if (short === 126) length = 4 + (isMasked ? 4 : 0) + piece.readUInt16BE(at + 2);
      if (short === 127) length = piece.length - at;
      if (at + length > piece.length) break;
      const changed = change(Buffer.from(piece.subarray(at, at + length)), (piece[at] ?? 0) & 0x0f);
      if (changed) out.push(changed);
      at += length;
    }
    return Buffer.concat([...out, piece.subarray(at)]);
  };

function countingBytes(
  change: (piece: Buffer, before: number) => Buffer,
): (piece: Buffer) => Buffer {
  let before = 0;
  return (piece) => {
    const changed = change(piece, before);
    before += piece.length;
    return changed;
  };
}

const reordering = (): ((piece: Buffer) => Buffer) => (piece) => {
  const control: Buffer[] = [];
  const rest = frames((frame, opcode) => {
    if (opcode !== 9 && opcode !== 10) return frame;
    control.push(frame);
    return undefined;
  })(piece);
  return Buffer.concat([rest, ...control]);
};

const bytes = (frame: Buffer, at: number, value: number): Buffer => {
  frame[at] = value;
  return frame;
};

export const wrongWebSocketsAgain: readonly WrongProxy[] = [
  wrongUpgrade(
    'changes Sec-WebSocket-Accept',
    { value: (value, name) => (name === 'sec-websocket-accept' ? value.replace('=', '') : value) },
    { 'websocket/handshake': 'fail' },
  ),
  wrongUpgrade(
    'says keep-alive in place of Upgrade with 101',
    { value: (value, name) => (name === 'connection' ? 'keep-alive' : value) },
    { 'websocket/handshake': 'fail' },
  ),
  wrongUpgrade(
    'loses the last byte of what follows 101',
    { change: (piece) => piece.subarray(0, -1) },
    { 'websocket/from-origin': 'fail', 'websocket/frames': 'fail' },
  ),
  wrongUpgrade(
    'drops pings of the origin',
    { change: frames((frame, opcode) => (opcode === 9 ? undefined : frame)) },
    { 'websocket/frames': 'fail' },
  ),
  wrongUpgrade(
    'has pings after the fragments',
    { change: reordering() },
    { 'websocket/frames': 'fail' },
  ),
  wrongUpgrade(
    'has pings of the client after the fragments',
    { changeSent: reordering() },
    { 'websocket/fragments': 'fail' },
  ),
  wrongUpgrade(
    'takes text for binary data',
    {
      change: frames((frame, opcode) =>
        opcode === 1 ? bytes(frame, 0, ((frame[0] ?? 0) & 0xf0) | 2) : frame,
      ),
    },
    { 'websocket/text': 'fail', 'websocket/frames': 'fail' },
  ),
  wrongUpgrade(
    'drops empty messages of the client',
    { changeSent: frames((frame) => (((frame[1] ?? 0) & 0x7f) === 0 ? undefined : frame)) },
    { 'websocket/text': 'fail' },
  ),
  wrongUpgrade(
    'changes one byte of binary data of the origin',
    {
      change: frames((frame, opcode) =>
        opcode === 2 ? bytes(frame, frame.length - 1, (frame.at(-1) ?? 0) ^ 0x80) : frame,
      ),
    },
    { 'websocket/binary': 'fail' },
  ),
  wrongUpgrade(
    'changes a byte after 64 KiB',
    {
      change: countingBytes((piece, before) =>
        before >= 65_536 ? bytes(Buffer.from(piece), piece.length - 1, 33) : piece,
      ),
    },
    { 'websocket/large': 'fail' },
  ),
  wrongUpgrade(
    'changes a byte of the client after 64 KiB',
    {
      changeSent: countingBytes((piece, before) =>
        before >= 65_536 ? bytes(Buffer.from(piece), 10, 33) : piece,
      ),
    },
    { 'websocket/large': 'fail' },
  ),
  wrongUpgrade(
    'shortens the reason of a Close frame',
    {
      change: frames((frame, opcode) =>
        opcode === 8 && frame.length > 5
          ? bytes(frame.subarray(0, -1), 1, frame.length - 3)
          : frame,
      ),
    },
    { 'websocket/close': 'fail' },
  ),
  wrongUpgrade(
    'sends the next code in a Close frame',
    {
      change: frames((frame, opcode) =>
        opcode === 8 ? bytes(frame, 3, (frame[3] ?? 0) + 1) : frame,
      ),
    },
    { 'websocket/close': 'fail' },
  ),
  wrongUpgrade(
    'offers only the first protocol',
    {
      sentValue: (value, name) =>
        name === 'sec-websocket-protocol' ? value.replace(/,.*/, '') : value,
    },
    { 'websocket/offered': 'fail' },
  ),
  wrongUpgrade(
    'offers no quotes',
    {
      sentValue: (value, name) =>
        name === 'sec-websocket-extensions' ? value.replaceAll('"', '') : value,
    },
    { 'websocket/offered': 'fail' },
  ),
  wrongUpgrade(
    'offers the last extension only',
    {
      sentValue: (value, name) =>
        name === 'sec-websocket-extensions' ? value.replace(/.*,\s*/, '') : value,
    },
    { 'websocket/offered': 'fail' },
  ),
  wrongUpgrade(
    'selects another protocol',
    { value: (value, name) => (name === 'sec-websocket-protocol' ? 'check.a' : value) },
    { 'websocket/selected': 'fail' },
  ),
  wrongUpgrade(
    'closes a connection 4 s after the other has closed',
    { endsAfter: 4000 },
    {
      'websocket/origin-closes': 'fail',
      'websocket/client-closes': 'fail',
      'websocket/client-resets': 'fail',
    },
  ),
];
