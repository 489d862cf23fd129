import { Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { proxyProtocolSchema } from '../../src/echo/echo-schema.ts';
import { extensionView } from '../../src/echo/extension-view.ts';
import { proxyProtocolView } from '../../src/echo/proxy-protocol.ts';
import type { FieldLines } from '../../src/http/fields.ts';
import { canonicalAddress, Networks } from '../../src/http/ip-address.ts';
import { clientHelloLength } from '../../src/wire/tls/client-hello-length.ts';
import { parseClientHello } from '../../src/wire/tls/client-hello.ts';
import { akamaiFingerprint, ja3, ja3n, ja4 } from '../../src/net/fingerprints.ts';
import {
  captureClientPreface,
  MAX_CLIENT_PREFACE,
  parseClientPreface,
  PrefaceCapture,
} from '../../src/net/client-preface.ts';
import { parseSettings } from '../../src/wire/http2/frame-payload.ts';
import {
  parseTimeout,
  readMetadata,
  writeMetadata,
  type Metadata,
} from '../../src/wire/grpc/fields.ts';
import { codeOf, GrpcStatus } from '../../src/wire/grpc/status.ts';
import { FramingError, frameMessage, MessageReader } from '../../src/wire/grpc/message.ts';
import { ProtobufError } from '../../src/wire/protobuf/reader.ts';
import { encodeFrame, isCloseCode } from '../../src/wire/websocket/frame.ts';
import { WebSocketReader, WebSocketError } from '../../src/wire/websocket/frame-reader.ts';
import { Http2FrameReader } from '../../src/inspect/http2/frames.ts';
import { nghttp2Rules } from '../../src/wire/http2/message-rules.ts';
import { http2Reader } from '../inspect/http2/_reader.ts';
import { frameMemory } from '../../src/inspect/http2/stream.ts';
import { FrameType } from '../../src/wire/http2/frame.ts';
import { HpackDecoder } from '../../src/wire/http2/hpack-decoder.ts';
import { handshakeRecords } from '../../src/wire/tls/record.ts';
import { greasePositions } from '../../src/wire/tls/grease.ts';
import type { ProxyParseResult } from '../../src/wire/proxy-protocol/header.ts';
import { parseProxyHeader } from '../../src/wire/proxy-protocol/read.ts';
import { parseVersion1 } from '../../src/wire/proxy-protocol/version1.ts';
import { parseVersion2 } from '../../src/wire/proxy-protocol/version2.ts';
import { parseSslTlv } from '../../src/wire/proxy-protocol/tlvs.ts';
import { TcpConnection } from '../../src/net/tcp-connection.ts';
import { detectProtocol } from '../../src/net/detect-protocol.ts';
import { PREFACE } from '../_frames.ts';
import { v2, V1 } from '../_proxy.ts';
import { violations } from '../_schema.ts';
import { preface, prefaces } from '../net/_client-prefaces.ts';
import { vector } from '../../src/wire/byte-writer.ts';
import { All } from '../wire/protobuf/_declared.ts';
import { garbled } from '../wire/proxy-protocol/_garbled.ts';
import { captured, captures } from '../wire/tls/_hellos.ts';
import { frame as webSocketFrame } from '../_websocket.ts';
import { POST, Side } from '../wire/http2/_side.ts';
import { inputsLike, textsLike } from './mutations.ts';
import { expects, parser, type Parser } from './parser.ts';

const records = inputsLike(captures.map(captured), [
  '\x16\x03\x01',
  '\x00\x00',
  '\xff\xff',
  '\x01\x00\x00\x00',
]);
/** Some with the lengths of message and records corrected, so that the changes reach deeper. */
const hellos = fc.oneof(
  records,
  records.map((bytes) => handshakeRecords(Buffer.from([1, ...vector(3, bytes.subarray(9))]), 700)),
);
const openings = inputsLike(prefaces.map(preface), [
  PREFACE.toString('latin1'),
  '\0\0\0\x04\0\0\0\0\0',
  '\0\0\x04\x08\0\0\0\0\0\x7f\xff\xff\xff',
  '\xff\xff\xff\x02\xff\xff\xff\xff\xff',
]);
const webSockets = inputsLike(
  [
    Buffer.concat([webSocketFrame(1, 'a', false), webSocketFrame(9, 'b'), webSocketFrame(0, 'c')]),
    webSocketFrame(2, 'x'.repeat(300)),
    webSocketFrame(8, '\x03\xe8bye'),
  ],
  ['\x81\x80\0\0\0\0', '\x82\xff', '\x82\xfe', '\0\0\0\0\0\0', '\x89\x80', '\x88\x82', '\xff\xff'],
);
const proxyHeaders = fc.oneof(
  { weight: 4, arbitrary: garbled },
  inputsLike([V1, v2()], ['PROXY ', 'TCP4 ', '::', '1.2.3.4 ', '\r\n\r\n\0\r\nQUIT\n', '\x20\0']),
);

const blocks = inputsLike(
  [
    '\x82\x86\x84\x41\x8c\xf1\xe3\xc2\xe5\xf2\x3a\x6b\xa0\xab\x90\xf4\xff',
    '\x40\x0acustom-key\x0dcustom-header\xbe\x10\x08password\x06secret',
    '\x20\x3f\xe1\x1f\x00\x01a\x01b',
  ],
  [
    '\xff\x80',
    '\x7f',
    '\x3f\xe1\x1f',
    '\xbe',
    '\x40',
    '\0',
    '\xff\xff\xff\xff\x0f',
    '\x00\x7f\x81\xff\x03',
  ],
);

const protobufs = inputsLike(
  [
    All.encode({
      an_int64: -1n,
      a_string: 'é',
      part: { text: 'x', count: 0 },
      numbers: [1, -1],
      doubles: [0.5],
      by_name: new Map([['a', { count: 1 }]]),
      Odd__name_: Buffer.from('b'),
    }),
  ],
  ['\xff\xff\xff\xff\x0f', '\xa3\x06', '\xa4\x06', '\xba\x01\x02', '\x3a\x01\x80', '\x72\x03'],
);

const calls = inputsLike(
  [
    Buffer.concat([frameMessage(Buffer.from('one')), frameMessage(Buffer.from('two'), 1)]),
    frameMessage(Buffer.alloc(0)),
  ],
  ['\0\0\0\0\0', '\x01\0\0\x03\xe8', '\0\0\0\x03\xe9', '\x80\0\0\0\0'],
);

/** Parses like the listener: again only when the needed number of bytes has arrived. */
function proxyHeaderBytewise(bytes: Buffer): ProxyParseResult {
  let needed = 1;
  for (;;) {
    const reading = parseProxyHeader(bytes.subarray(0, needed));
    if (reading.kind !== 'more' || reading.needed > bytes.length) return reading;
    needed = reading.needed;
  }
}

/** Bytes of a record at most. */
const RECORD_MAX = 5 + 0xffff;

/** Metadata; undefined if it has too many values. */
function acceptedMetadata(fields: FieldLines): Metadata | undefined {
  try {
    return readMetadata(fields);
  } catch (error) {
    if (error instanceof GrpcStatus && error.code === codeOf('RESOURCE_EXHAUSTED'))
      return undefined;
    throw error;
  }
}

export const wireParsers: readonly Parser[] = [
  parser('HpackDecoder', blocks, (bytes) => {
    const decoder = new HpackDecoder({ maxListSize: 10_000 });
    const { fields, tableSize, maxTableSize, insertions, evictions } = decoder.decode(bytes);
    expects(tableSize <= maxTableSize && evictions <= insertions, 'the table is within its size');
    const size = fields.reduce((sum, { name, value }) => sum + name.length + value.length + 32, 0);
    expects(size <= 10_000, 'no more is kept than the limit');
    const used = fields.reduce((sum, { length }) => sum + length, 0);
    expects(used <= bytes.length, 'representations are of the block');
  }),
  parser(
    'Http2FrameReader, Http2Reader, parsePayload, parsedLength, readFrameHeader',
    openings,
    (bytes) => {
      let length = 0;
      const onFrame = (frame: { length: number }): void => {
        length += 9 + frame.length;
      };
      const hpack = new HpackDecoder({ maxListSize: 10_000 });
      const frames = new Http2FrameReader('client', hpack, onFrame);
      frames.read(bytes, 0);
      expects(length <= bytes.length, 'frames are of the bytes');
      const reader = http2Reader({ rules: nghttp2Rules('1.70.0'), maxKept: () => 2000 });
      reader.received(bytes, 0);
      reader.sent(bytes, 0);
      reader.received(bytes, 0);
      const kept = [reader.stream(0), ...reader.streams()].flatMap(
        (stream) => stream?.frames ?? [],
      );
      const size = kept.reduce((sum, seen) => sum + frameMemory(seen), 0);
      expects(size <= 2000, 'no more of frames is kept than the limit');
      reader.summary();
    },
  ),
  parser('Http2Connection, FrameReader, parsePriority', openings, (bytes) => {
    for (const role of ['client', 'server'] as const) {
      const side = new Side(role);
      if (role === 'client')
        side.connection.send(side.connection.open(POST, false, ''), 'a', false);
      side.connection.receive(bytes);
      side.connection.receive(bytes);
      expects(side.take().length <= 1000 + 4 * bytes.length, 'the replies are not much longer');
      const errors = side.events.filter((event) => event.startsWith('error'));
      expects(errors.length <= 1, 'a connection fails once');
      expects(errors.length === 0 || side.events.at(-1) === errors[0], 'no event follows');
    }
  }),
  parser('message().decode', protobufs, (bytes) => {
    try {
      All.encode(All.decode(bytes));
    } catch (error) {
      expects(error instanceof ProtobufError, String(error));
    }
  }),
  parser('detectProtocol', openings, (bytes) => {
    const sniffed = detectProtocol(bytes);
    const longest = PREFACE.length;
    expects(sniffed !== 'more' || bytes.length < longest, 'the preface decides');
    if (sniffed !== 'more')
      expects(detectProtocol(Buffer.concat([bytes, bytes])) === sniffed, 'for good');
  }),
  parser('clientHelloLength', hellos, (bytes) => {
    const length = clientHelloLength(bytes);
    expects(Number.isInteger(length) && length >= 0, 'a length');
    expects(length <= bytes.length + RECORD_MAX, 'no more than another record is asked for');
    // The answer may only grow, or reading would end before the hello does.
    const part = clientHelloLength(bytes.subarray(0, bytes.length / 2));
    expects(part <= length || length < bytes.length, 'it grows with what comes into view');
  }),
  parser(
    'parseClientHello, parseClientHelloBody, parseExtensions, readExtension, ja3, ja3n, ja4, greasePositions, extensionView',
    hellos,
    (bytes) => {
      const hello = parseClientHello(bytes);
      if (!hello) return;
      expects(/^\d+(?:,[\d-]*){4}$/.test(ja3(hello)), 'JA3 is five lists');
      expects(ja3n(hello).length === ja3(hello).length, 'JA3N has the same numbers');
      expects(/^t\w{9}_[\da-f]{12}_[\da-f]{12}$/.test(ja4(hello).ja4), 'JA4 has three parts');
      greasePositions(hello);
      const views = hello.extensions.map(extensionView);
      expects(
        views.every(({ content, data }) => content === undefined || data === undefined),
        'contents are shown by name or as bytes',
      );
    },
  ),
  parser('parseClientPreface, parseSettings', openings, (bytes) => {
    const kept = captureClientPreface(bytes);
    const capture = new PrefaceCapture();
    const half = Math.floor(bytes.length / 2);
    const isPartial = capture.add(bytes.subarray(0, half));
    const first = capture.frames;
    capture.add(bytes.subarray(half));
    expects(isDeepStrictEqual(capture.frames, kept), 'the same in two pieces');
    if (!isPartial) expects(isDeepStrictEqual(first, kept), 'nothing is added');
    expects(kept.bytes.length <= MAX_CLIENT_PREFACE, 'little is kept');
    const { frames, opening } = parseClientPreface(kept);
    const lengths = frames.map(({ type, length }) =>
      type === FrameType.headers ? Math.min(length, 6) : length,
    );
    const sum = lengths.reduce((all, length) => all + 9 + length, 0);
    expects(sum === kept.bytes.length, 'frames are all that is kept');
    parseSettings(bytes);
    const fingerprint = akamaiFingerprint(opening, [':method', ':path']);
    expects(fingerprint.split('|').length === 4, 'four parts');
  }),
  parser('WebSocketReader, encodeFrame, isCloseCode', webSockets, (bytes) => {
    const limits = { isMasked: true, maxFrame: 1000, maxMessage: 2000 };
    /** The frames, and the code of the violation at the end. */
    const read = (pieces: readonly Buffer[], mayCompress: boolean): string => {
      const reader = new WebSocketReader({ ...limits, mayCompress });
      const found: string[] = [];
      try {
        for (const piece of pieces) {
          for (const each of reader.read(piece)) found.push(encodeFrame(each).toString('latin1'));
        }
      } catch (error) {
        if (!(error instanceof WebSocketError)) throw error;
        expects(isCloseCode(error.code), 'a code that a Close frame may have');
        found.push(String(error.code));
      }
      return found.join('|');
    };
    const oneByOne = Array.from(bytes, (byte) => Buffer.of(byte));
    for (const mayCompress of [false, true]) {
      const whole = read([bytes], mayCompress);
      expects(whole === read(oneByOne, mayCompress), 'pieces make no difference');
    }
  }),
  parser('MessageReader, frameMessage', calls, (bytes) => {
    /** The messages, and the violation at the end. */
    const read = (pieces: readonly Buffer[]): string => {
      const reader = new MessageReader(1000, (size) => {
        expects(size <= 2 * bytes.length + 1024, 'memory for what has arrived');
      });
      const found: string[] = [];
      try {
        for (const piece of pieces) {
          reader.push(piece);
          for (let next = reader.take(); next; next = reader.take()) {
            found.push(frameMessage(next.content, Number(next.isCompressed)).toString('latin1'));
          }
        }
      } catch (error) {
        if (!(error instanceof FramingError)) throw error;
        found.push(error.message);
      }
      return found.join('|');
    };
    const oneByOne = Array.from(bytes, (byte) => Buffer.of(byte));
    expects(read([bytes]) === read(oneByOne), 'pieces make no difference');
  }),
  parser('parseTimeout', textsLike(['1S', '99999999H', '250m'], ['0', 'H', 'n', '.']), (text) => {
    const timeout = parseTimeout(text) ?? 0;
    expects(timeout >= 0 && timeout < 99_999_999 * 3_600_001, 'milliseconds of 8 digits');
  }),
  parser(
    'readMetadata, writeMetadata',
    textsLike(['AAE=', 'q6ur,/w', 'a b'], ['=', ',', '-', '\0', '%']),
    (text) => {
      const metadata = acceptedMetadata(['X-Text', text, 'X-Bin', text]);
      expects(
        (metadata !== undefined) === text.split(',').length <= 1000,
        'up to a number of values',
      );
      if (!metadata) return;
      const again = readMetadata(writeMetadata(metadata));
      expects(isDeepStrictEqual(again, metadata), 'written as it is read');
    },
  ),
  parser('parseProxyHeader, parseVersion1, parseVersion2', proxyHeaders, (bytes) => {
    for (const read of [parseProxyHeader, parseVersion1, parseVersion2]) {
      const reading = read(bytes);
      if (reading.kind === 'more') expects(reading.needed > bytes.length, 'more than there is');
      if (reading.kind === 'header') expects(reading.length <= bytes.length, 'of what there is');
    }
    const whole = parseProxyHeader(bytes);
    expects(isDeepStrictEqual(proxyHeaderBytewise(bytes), whole), 'however it arrives');
    if (whole.kind !== 'header') return;
    const connection = new TcpConnection(new Socket());
    connection.identifyClient(whole.header, undefined);
    const view: unknown = JSON.parse(JSON.stringify(proxyProtocolView(connection)));
    expects(violations(proxyProtocolSchema, view).length === 0, 'it is shown as declared');
  }),
  parser('parseSslTlv', proxyHeaders, parseSslTlv),
  parser(
    'canonicalAddress, Networks',
    textsLike(
      ['192.0.2.1', '2001:db8::1', '::ffff:1.2.3.4', '10.0.0.0/8', '::/0', 'fe80::1%eth0'],
      [':', '.', '/', '0', 'ffff', '%', '[', ']', '255'],
    ),
    (text) => {
      const address = canonicalAddress(text);
      const same = address === undefined || canonicalAddress(address) === address;
      expects(same, 'the one form is its own');
      new Networks().add(text);
      new Networks().has(text);
    },
  ),
];
