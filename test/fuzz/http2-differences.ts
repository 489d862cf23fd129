import { Flag, frame, FrameType, goaway, uint32 } from '../../src/wire/http2/frame.ts';
import { data, get, post, reset, type Difference } from './http2/difference.ts';

const { data: DATA, headers: HEADERS, continuation: CONTINUATION, settings: SETTINGS } = FrameType;
const { ping: PING, priority: PRIORITY, windowUpdate: WINDOW_UPDATE } = FrameType;

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
    name: 'the malformed end of a request whose response is complete',
    row: 'A request that turns out malformed after its response',
    of: 'stream',
    node: /, end\]\[reset PROTOCOL_ERROR\]$/,
    wirebin: /, end\]$/,
    section: 'RFC 9113 5.1',
    why: 'Both sides have ended the stream, so there is nothing left to reset.',
    example: [post('/healthz', 1, ['content-length', '5']), data(1, true, 'four')],
  },
  {
    name: 'a frame on a stream above the last one of a GOAWAY',
    row: 'Streams above the last one of a GOAWAY',
    of: 'connection',
    node: /idle|invalid stream_id/,
    wirebin: /, GOAWAY$/,
    section: 'RFC 9113 6.8',
    why: 'Ignored, even if the stream has not begun.',
    example: [post('/hold'), post('/early?then=close', 3), reset(9)],
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
    name: 'the end of content when the window is empty',
    row: 'DATA in small frames',
    of: 'stream',
    node: /(?<!, end)\]$/,
    wirebin: /, end\]$/,
    sent: ({ type, payload }) => type === SETTINGS && payload.length > 0,
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

/** Frames that have more than one error, or one that is not of the connection. */
const frames: readonly Difference[] = [
  {
    name: 'a frame of a wrong length on a wrong stream',
    row: 'A connection error',
    of: 'connection',
    node: /^FRAME_SIZE_ERROR/,
    wirebin: /^PROTOCOL_ERROR: .*(?: on stream \d+$|PUSH_PROMISE)/,
    section: 'RFC 9113 5.4.1',
    why: 'It has both errors; wirebin looks at the stream first.',
    example: [frame(PING, 0, 1, Buffer.alloc(7))],
  },
  {
    name: 'a frame within a field block that is too large',
    row: 'A connection error',
    of: 'connection',
    node: /^PROTOCOL_ERROR: unexpected non-CONTINUATION/,
    wirebin: /^FRAME_SIZE_ERROR: RFC 9113 4\.2/,
    section: 'RFC 9113 5.4.1',
    why: 'It has both errors; wirebin looks at the size first.',
    example: [
      Buffer.concat([
        frame(HEADERS, 0, 1, Buffer.of(0x82)),
        frame(DATA, 0, 1, Buffer.alloc(16_385)),
      ]),
    ],
  },
  {
    name: 'a frame that has no room for what precedes its content',
    row: 'A connection error',
    of: 'connection',
    node: /^PROTOCOL_ERROR/,
    wirebin: /^FRAME_SIZE_ERROR: RFC 9113 6\.[12]/,
    section: 'RFC 9113 4.2',
    why: 'It is too small for what it must have. For nghttp2 there is too much padding, or the stream is wrong.',
    example: [frame(HEADERS, Flag.padded | Flag.endHeaders, 1)],
  },
  {
    name: 'a malformed field block on a stream that a client cannot begin',
    row: 'A connection error',
    of: 'connection',
    node: /^PROTOCOL_ERROR: request HEADERS: invalid stream_id/,
    wirebin: /^COMPRESSION_ERROR/,
    section: 'RFC 9113 4.3',
    why: 'It has both errors; wirebin decodes each block first, since it may change the table.',
    example: [frame(HEADERS, Flag.endHeaders, 2, Buffer.of(0x80))],
  },
  {
    name: 'a malformed start of a field block that another frame interrupts',
    row: 'A connection error',
    of: 'connection',
    node: /^COMPRESSION_ERROR|^PROTOCOL_ERROR: request HEADERS: invalid stream_id/,
    wirebin: /^PROTOCOL_ERROR: RFC 9113 4\.3|^FRAME_SIZE_ERROR: RFC 9113 4\.2/,
    section: 'RFC 9113 4.3',
    why: 'It has both errors; wirebin decodes a block when it is complete.',
    example: [Buffer.concat([frame(HEADERS, 0, 1, Buffer.of(0x80)), frame(PING, 0, 0)])],
  },
  {
    name: 'PRIORITY of a length other than 5',
    row: 'Priorities (RFC 9113 5.3.2)',
    of: 'connection',
    node: /^FRAME_SIZE_ERROR: $/,
    sent: ({ type, payload }) => type === PRIORITY && payload.length !== 5,
    section: 'RFC 9113 6.3',
    why: 'A stream error. nghttp2 ends the connection.',
    example: [get('/hold'), frame(PRIORITY, 0, 1, Buffer.alloc(4))],
  },
  {
    name: 'PRIORITY on stream 0',
    row: 'Priorities (RFC 9113 5.3.2)',
    of: 'connection',
    wirebin: /: RFC 9113 6\.3: PRIORITY on stream 0$/,
    section: 'RFC 9113 6.3',
    why: 'A connection error. Since Node 22, nghttp2 ignores the frame.',
    example: [frame(PRIORITY, 0, 0, Buffer.alloc(5))],
    sinceNode: 22,
  },
  {
    name: 'a stream that depends on itself',
    row: 'Priorities (RFC 9113 5.3.2)',
    of: 'connection',
    node: /depend on itself/,
    section: 'RFC 9113 5.3.2',
    why: 'Priorities are deprecated, and have no effect. nghttp2 ends the connection, since Node 22 only because of HEADERS.',
    example: [
      frame(
        HEADERS,
        Flag.priority | Flag.endHeaders,
        1,
        Buffer.of(0, 0, 0, 1, 9, 0x82, 0x86, 0x84),
      ),
    ],
  },
  {
    name: 'a malformed PRIORITY_UPDATE',
    row: 'Priorities (RFC 9113 5.3.2)',
    of: 'connection',
    wirebin: /: RFC 9218 7\.1: /,
    section: 'RFC 9218 7.1',
    why: 'A connection error. Node has nghttp2 ignore the extension.',
    example: [frame(FrameType.priorityUpdate, 0, 0, Buffer.alloc(3))],
  },
  {
    name: 'a field block in more than 9 frames',
    row: 'A field block in more than nine frames',
    of: 'connection',
    wirebin: /^ENHANCE_YOUR_CALM: .* a field block of /,
    section: 'RFC 9113 10.5.1',
    why: 'An excess is ENHANCE_YOUR_CALM. nghttp2 sends INTERNAL_ERROR.',
    example: [
      Buffer.concat([
        frame(HEADERS, 0, 1, Buffer.of(0x82)),
        ...Array.from({ length: 10 }, () => frame(CONTINUATION, 0, 1)),
      ]),
    ],
  },
  {
    name: 'a field block in 10 frames, of which the last is another',
    row: 'A connection error',
    of: 'connection',
    node: /^INTERNAL_ERROR: $/,
    wirebin: /^PROTOCOL_ERROR: RFC 9113 4\.3/,
    section: 'RFC 9113 4.3',
    why: 'nghttp2 counts the frame before it looks at its type, until Node 22.',
    example: [
      Buffer.concat([
        frame(HEADERS, 0, 1, Buffer.of(0x82)),
        ...Array.from({ length: 8 }, () => frame(CONTINUATION, 0, 1)),
        frame(PING, 0, 0, Buffer.alloc(8)),
      ]),
    ],
    untilNode: 22,
  },
  {
    name: 'an error in a frame of which only a part has arrived',
    row: 'A connection error',
    of: 'connection',
    wirebin: /^waits/,
    section: 'RFC 9113 5.4.1',
    why: 'wirebin looks at some frames when they are complete.',
    example: [frame(HEADERS, Flag.endHeaders, 2, Buffer.alloc(200)).subarray(0, 20)],
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
  ...streams,
  ...windows,
  ...frames,
  ...control,
];
