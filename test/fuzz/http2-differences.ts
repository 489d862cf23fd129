import { Flag, frame, FrameType, goaway, uint32 } from '../../src/wire/http2/frame.ts';
import { data, get, post, reset, type Difference } from './http2/difference.ts';
import { frames } from './http2/frame-differences.ts';

const { data: DATA, settings: SETTINGS, ping: PING, windowUpdate: WINDOW_UPDATE } = FrameType;

/** What comes on a stream that no longer takes it (RFC 9113 5.1). */
const states: readonly Difference[] = [
  {
    name: 'a frame on a stream that both sides have ended',
    row: 'A frame on a closed stream',
    of: 'connection',
    wirebin: /^STREAM_CLOSED: RFC 9113 5\.1: .* which is closed$/,
    section: 'RFC 9113 5.1',
    why: 'A connection error. Node has nghttp2 forget closed streams, which then ignores the frame.',
    example: [get('/healthz'), data(1, false, 'late')],
  },
  {
    name: 'a frame on a stream that the client has reset',
    row: 'A frame on a closed stream',
    of: 'stream',
    wirebin: /\[reset STREAM_CLOSED\]/,
    sent: ({ type }) => type === FrameType.rstStream,
    section: 'RFC 9113 5.1',
    why: 'A stream error. Node has nghttp2 forget closed streams, which then ignores the frame.',
    example: [post('/hold'), reset(1), data(1, false, 'late')],
  },
  {
    name: 'a frame on a stream that the client has ended',
    row: 'A frame on a closed stream',
    of: 'connection',
    node: /^STREAM_CLOSED: .*(?:half-closed|closed)/,
    section: 'RFC 9113 5.1',
    why: 'A stream error. nghttp2 ends the connection.',
    example: [get('/hold'), data(1, false, 'late')],
  },
  {
    name: 'DATA with malformed padding on a stream that is closed',
    row: 'A frame on a closed stream',
    of: 'connection',
    wirebin: /^(?:PROTOCOL|FRAME_SIZE)_ERROR: RFC 9113 6\.1: (?:padding exceeds|a payload of 0)/,
    section: 'RFC 9113 6.1',
    why: 'A connection error on any stream. nghttp2 ignores all of the frame on a closed one.',
    example: [
      post('/seen', 1, ['connection', 'close']),
      frame(DATA, Flag.padded, 1, Buffer.of(9, 0)),
    ],
  },
  {
    name: 'a frame on a stream above the last one of a GOAWAY',
    row: 'Streams above the last one of a GOAWAY',
    of: 'connection',
    node: /idle|invalid stream_id/,
    isClosing: true,
    section: 'RFC 9113 6.8',
    why: 'Ignored, even if the stream has not begun.',
    example: [post('/hold'), post('/early?then=close', 3), reset(9)],
  },
];

/** What a message may be (RFC 9113 8.1). */
const messages: readonly Difference[] = [
  {
    name: 'more content than Content-Length',
    row: 'More content than Content-Length',
    of: 'connection',
    node: /^INTERNAL_ERROR: $/,
    sent: ({ type }) => type === DATA,
    section: 'RFC 9113 8.1.1',
    why: 'A stream error. Since Node 22, Node ends the connection.',
    example: [post('/hold', 1, ['content-length', '5']), data(1, true, 'longer')],
    sinceNode: 22,
  },
];

/** How many streams are open (RFC 9113 5.1.2). */
const streams: readonly Difference[] = [
  {
    name: 'a stream above SETTINGS_MAX_CONCURRENT_STREAMS, which the client has acknowledged',
    row: 'Streams above `--max-streams`',
    of: 'connection',
    node: /max concurrent streams exceeded/,
    section: 'RFC 9113 5.1.2',
    why: 'A stream error, REFUSED_STREAM: the client may send the request again. nghttp2 ends the connection.',
    example: [
      frame(SETTINGS, Flag.ack, 0),
      Buffer.concat(Array.from({ length: 6 }, (_, at) => post('/hold', 2 * at + 1))),
    ],
  },
];

/** Flow control (RFC 9113 5.2, 6.9). */
const windows: readonly Difference[] = [
  {
    name: 'a window increment of 0 on a stream',
    row: 'The window of a stream',
    of: 'connection',
    node: /window_size_increment == 0/,
    section: 'RFC 9113 6.9',
    why: 'A stream error. nghttp2 ends the connection.',
    example: [get('/hold'), frame(WINDOW_UPDATE, 0, 1, uint32(0))],
  },
  {
    name: 'a window increment that makes the window of a stream too large',
    row: 'The window of a stream',
    of: 'connection',
    node: /^INTERNAL_ERROR: $|^FLOW_CONTROL_ERROR/,
    sent: ({ type, stream }) => type === WINDOW_UPDATE && stream !== 0,
    section: 'RFC 9113 6.9.1',
    why: 'A stream error. Node ends the connection.',
    example: [get('/hold'), frame(WINDOW_UPDATE, 0, 1, uint32(2 ** 31 - 1))],
  },
  {
    name: 'an initial window that makes the window of a stream too large',
    row: 'The window of a stream',
    of: 'connection',
    wirebin: /^FLOW_CONTROL_ERROR: RFC 9113 6\.9\.2/,
    untilNode: 20,
    section: 'RFC 9113 6.9.2',
    why: 'A connection error. Until Node 20, nghttp2 ends the stream.',
    example: [
      get('/hold'),
      frame(WINDOW_UPDATE, 0, 1, uint32(1)),
      frame(SETTINGS, 0, 0, Buffer.from('00047fffffff', 'hex')),
    ],
  },
  {
    name: 'the share of a stream in the window of the connection',
    row: 'DATA in small frames',
    of: 'stream',
    node: /^\[:status=200 [^\]]*\]\[\d+ bytes/,
    wirebin: /(?<!, end)\]$/,
    isOfSameLength: true,
    untilNode: 20,
    section: 'RFC 9113 5.2.1',
    why: 'The order is that of the sender. What all streams have sent is as much.',
    example: [
      get('/zeros/40000'),
      get('/zeros/40000', 3),
      get('/healthz', 5),
      frame(WINDOW_UPDATE, 0, 0, uint32(1000)),
    ],
  },
  {
    name: 'the end of content when the window is empty',
    row: 'DATA in small frames',
    of: 'stream',
    node: /(?<!, end)\]$/,
    wirebin: /, end\]$/,
    section: 'RFC 9113 6.9.1',
    why: 'An empty DATA frame needs no window. nghttp2 waits for one before it asks for content.',
    example: [frame(SETTINGS, 0, 0, Buffer.from('000400000000', 'hex')), get('/zeros/0')],
  },
  {
    name: 'more content than the window of a stream allows',
    row: 'The window of a stream',
    of: 'stream',
    wirebin: /\[reset FLOW_CONTROL_ERROR\]/,
    section: 'RFC 9113 6.9.1',
    why: 'A stream error. nghttp2 counts credit as returned before it has sent the WINDOW_UPDATE.',
    example: [
      post('/healthz'),
      Buffer.concat(Array.from({ length: 5 }, () => data(1, false, 'm'.repeat(16_384)))),
    ],
  },
];

const isAck = (type: number): NonNullable<Difference['sent']> => {
  return (sent) => sent.type === type && (sent.flags & Flag.ack) !== 0;
};

/** Settings, acknowledgements and the end (RFC 9113 6.5, 6.7, 6.8). */
const control: readonly Difference[] = [
  {
    name: 'an invalid setting that a later one of the same frame replaces',
    row: 'A setting twice in one frame',
    of: 'connection',
    wirebin: /: RFC (?:9113 6\.5\.2|9218 2\.1|8441 3): /,
    sent: ({ type, payload }) => type === SETTINGS && payload.length > 6,
    section: 'RFC 9113 6.5.3',
    why: 'Settings are processed in their order. nghttp2 looks at the last one with each identifier.',
    example: [frame(SETTINGS, 0, 0, Buffer.from('000400ffffff0005000000010005000fffff', 'hex'))],
  },
  {
    name: 'too many settings in a frame that is malformed in another way',
    row: 'A connection error',
    of: 'connection',
    node: /^FRAME_SIZE_ERROR/,
    wirebin: /^ENHANCE_YOUR_CALM: .* settings in a frame/,
    section: 'RFC 9113 5.4.1',
    why: 'It has both errors; wirebin looks at their number first.',
    example: [frame(SETTINGS, 0, 0, Buffer.alloc(601))],
  },
  {
    name: 'an acknowledgement of SETTINGS that were not sent',
    row: 'SETTINGS and PING acknowledged that were not sent',
    of: 'connection',
    node: /unexpected ACK/,
    sent: isAck(SETTINGS),
    section: 'RFC 9113 6.5.3',
    why: 'It says nothing, and is no error. nghttp2 ends the connection.',
    example: [frame(SETTINGS, Flag.ack, 0), frame(SETTINGS, Flag.ack, 0)],
  },
  {
    name: 'an acknowledgement of a PING that was not sent',
    row: 'SETTINGS and PING acknowledged that were not sent',
    of: 'connection',
    node: /^INTERNAL_ERROR: $|^PROTOCOL_ERROR: $/,
    sent: isAck(PING),
    section: 'RFC 9113 6.7',
    why: 'It says nothing, and is no error. Node ends the connection.',
    example: [frame(PING, Flag.ack, 0, Buffer.alloc(8))],
  },
  {
    name: 'frames after a GOAWAY of the client',
    row: 'Frames after a GOAWAY of the client',
    of: 'connection',
    wirebin: /^closes, GOAWAY$/,
    sent: ({ type }) => type === FrameType.goaway,
    section: 'RFC 9113 6.8',
    why: 'The client closes the connection; nothing more is read once its requests have ended or if it has had an error.',
    example: [Buffer.concat([goaway(0, 2), frame(PING, 0, 1, Buffer.alloc(8))])],
  },
];

/**
 * How node:http2 and wirebin's own frames treat clients differently. The example of each row is a test, and a difference
 * that no row explains fails the differential run.
 */
export const differences: readonly Difference[] = [
  ...states,
  ...messages,
  ...streams,
  ...windows,
  ...frames,
  ...control,
];
