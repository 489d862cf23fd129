import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { FrameReader } from '../../src/wire/quic/frame-reader.ts';
import type { Frame } from '../../src/wire/quic/frames.ts';
import { readPacket, readPackets } from '../../src/wire/quic/packet-reader.ts';
import {
  readTransportParameters,
  writeTransportParameters,
} from '../../src/wire/quic/transport-parameters.ts';
import { messageOf } from '../wire/http3/_frames.ts';
import { decoderOf } from '../wire/qpack/_qpack.ts';
import { CLIENT_FRAMES, SERVER_FRAMES, v1, v2 } from '../wire/quic/_samples.ts';
import { inputsLike, piecesOf, place } from './mutations.ts';
import { expects, parser, type Parser } from './parser.ts';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

const packets = [v1, v2].flatMap(({ clientInitial, serverInitial, retry, chachaPacket }) =>
  [clientInitial, serverInitial, retry, chachaPacket].map(hex),
);
const datagrams = inputsLike(packets, [
  '\xc0\x00\x00\x00\x01',
  '\xd0\x6b\x33\x43\xcf',
  '\x40',
  '\x80\x00\x00\x00\x00',
  '\xff\xff',
]);

const frames = inputsLike([CLIENT_FRAMES, SERVER_FRAMES].map(hex), [
  '\x00',
  '\x02\x10\x00\x01\x01\x01\x01',
  '\x06\x00\x02ab',
  '\x0f\x04\x01\x02ab',
  '\x1c\x0a\x00\x00',
  '\xff\xff\xff\xff',
]);

const parameters = inputsLike(
  [
    hex(
      '0408ffffffffffffffff05048000ffff07048000ffff0801100104800075300901100f088394c8f03e51570806048000ffff',
    ),
  ],
  [
    '\x01\x04\x80\x00\x75\x30',
    '\x0f\x00',
    '\x11\x04\x00\x00\x00\x01',
    '\x1b\x01a',
    '\xc0\x00\x00\x00',
  ],
);

/** RFC 9204 B: a section that refers to the static table, instructions of the encoder, and one that refers to them. */
const qpack = inputsLike(
  [
    '0000510b2f696e6465782e68746d6c',
    '3fbd01c00f7777772e6578616d706c652e636f6dc10c2f73616d706c652f70617468',
    '03811011',
  ].map(hex),
  ['\x00\x00', '\xd1', '\x3f\xbd\x01', '\x50\x01a', '\x81', '\xff\xff\xff'],
);

const messages = inputsLike(
  [hex('0103646566000568656c6c6f21'), hex('01010a0700000103646566')],
  ['\x00\x02ab', '\x01\x01a', '\x04\x00', '\x21\x01a', '\x40\x00', '\xff\xff'],
);

/** All frames of a payload, at most as many as it has bytes. */
function framesOf(payload: Buffer): readonly Frame[] {
  const reader = new FrameReader(payload, '1-rtt', 'client');
  const read: Frame[] = [];
  for (let frame = reader.next(); frame; frame = reader.next()) {
    read.push(frame);
    expects(read.length <= payload.length, 'each frame has a byte');
  }
  return read;
}

/** Parsers of what QUIC and HTTP/3 carry. */
export const quicParsers: readonly Parser[] = [
  parser('readPacket, readPackets', datagrams, (bytes) => {
    let end = 0;
    for (const packet of readPackets(bytes, 8)) {
      expects(packet.start === end && packet.end > end, 'packets follow each other');
      // By itself, a packet for another connection is not known as one.
      expects(readPacket(bytes, packet.start, 8).start === packet.start, 'each by itself');
      ({ end } = packet);
    }
    expects(end === bytes.length, 'packets take the whole datagram');
  }),
  parser('FrameReader', frames, (bytes) => {
    framesOf(bytes);
  }),
  parser('readTransportParameters', parameters, (bytes) => {
    const { parameters: list, violation } = readTransportParameters(bytes, 'client');
    if (violation) return;
    const again = readTransportParameters(writeTransportParameters(list), 'client');
    expects(isDeepStrictEqual(again.parameters, list), 'what was written is read');
  }),
  parser('QpackDecoder', fc.tuple(qpack, qpack), ([instructions, section]) => {
    const decoder = decoderOf();
    decoder.readEncoderStream(instructions);
    decoder.decode(0, section);
    decoder.takeDecoderStream();
    expects(decoder.bytesKept <= 10_000, 'little is kept');
  }),
  parser(
    'MessageReader',
    fc.tuple(messages, fc.array(place, { maxLength: 5 })),
    ([bytes, cuts]) => {
      const whole = messageOf('client');
      whole.reader.read(bytes);
      const cut = messageOf('client');
      for (const piece of piecesOf(bytes, cuts)) cut.reader.read(piece);
      if (bytes.length === 0) return;
      expects(isDeepStrictEqual(cut.violation, whole.violation), 'the same in pieces');
    },
  ),
];
