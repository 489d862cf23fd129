import {
  DEFAULT_MAX_FRAME_SIZE,
  Flag,
  FrameType,
  MAX_WINDOW,
  SettingId,
  uint32,
} from '../../wire/http2/frame.ts';
import { literals } from '../../wire/http2/hpack-encoder.ts';
import { errorCodeName } from '../../wire/http2/names.ts';
import { topic, type FamilyRule, type Rule, type TopicCheck } from '../check.ts';
import type { Http2Client } from '../client/http2-client.ts';
import { PING_DATA } from '../client/http2-frames.ts';
import { outcomeOf } from '../message.ts';
import { receivedOf, tagged } from '../origin.ts';
import type { Session } from '../session.ts';
import { differs, expectSame, fail, notApplicable, pass, type Verdict } from '../verdict.ts';

// Each check names the section of its rule.
export const CONNECTION = {
  section: 'RFC 9113',
  level: 'must',
  risk: 'interop',
  fronts: ['h2'],
  observes: 'target',
} as const;

/** Acknowledgements, concurrent streams and windows on HTTP/2 at the front (RFC 9113 5 and 6). */
export const http2ConnectionChecks = topic(CONNECTION, [
  {
    id: 'h2/ping',
    section: 'RFC 9113 6.7',
    rule: 'PING is acknowledged.',
    async run(session) {
      const client = await session.openHttp2();
      client.sendFrame(FrameType.ping, 0, 0, PING_DATA);
      return (await client.until(() => client.pongs > 0, session.time))
        ? pass()
        : fail('an acknowledgement', 'none');
    },
  },
  {
    id: 'h2/settings-acknowledged',
    section: 'RFC 9113 6.5.3',
    rule: 'SETTINGS are acknowledged.',
    async run(session) {
      const client = await session.openHttp2();
      return (await client.until(() => client.acknowledged > 0, session.time))
        ? pass()
        : fail('an acknowledgement, which has no payload', 'none');
    },
  },
  {
    id: 'h2/concurrent',
    section: 'RFC 9113 5.1.2',
    rule: 'Twenty concurrent streams are served.',
    level: 'quality',
    risk: 'latency',
    async run(session) {
      const client = await session.openHttp2();
      const limit = client.settings?.get(SettingId.maxConcurrentStreams) ?? Infinity;
      const count = Math.min(limit, 20);
      const tags = Array.from({ length: count }, () => session.newTag());
      const streams = tags.map((tag) => client.start(tagged(tag, { target: `/anything/${tag}` })));
      const transfers = await Promise.all(
        streams.map((stream) => client.finish(stream, session.time)),
      );
      const received = transfers.map((transfer, at) => receivedOf(transfer, tags[at] ?? ''));
      // Requests are told apart by the tag in the target.
      const mixed = received.findIndex((each, at) =>
        tags.some((tag, of) => of !== at && each?.path.includes(tag)),
      );
      if (mixed !== -1) {
        const evidence = transfers.slice(mixed, mixed + 1);
        return fail('the response to its request', 'that of another stream', ...evidence);
      }
      const served = received.filter((each) => each !== undefined).length;
      if (served === count && count < 20) return differs(`only ${count} streams are allowed`);
      return expectSame(`${count} responses`, `${served} responses`, ...transfers.slice(0, 1));
    },
  },
  {
    id: 'h2/window-respected',
    section: 'RFC 9113 6.9',
    rule: 'The target sends no more DATA than the window of the client allows.',
    async run(session) {
      const client = await session.openHttp2({ window: 1000 });
      await client.until(() => client.acknowledged > 0 || client.isClosed, session.time);
      const stream = client.start({ target: session.unique('/range/5000') });
      await client.until(() => stream.contentLength >= 1000 || client.isClosed, session.time);
      const before = stream.contentLength;
      client.sendFrame(FrameType.windowUpdate, 0, stream.id, uint32(10_000));
      const transfer = session.record(await client.finish(stream, session.time));
      if (before > 1000)
        return fail('1000 bytes', `${before} bytes before WINDOW_UPDATE`, transfer);
      const { contentLength: bytes } = stream;
      return transfer.ending === 'complete'
        ? expectSame('5000 bytes', `${bytes} bytes`)
        : differs(`${bytes} of 5000 bytes, then ${transfer.ending}`);
    },
  },
]);

/** Bytes of a SETTINGS frame. */
const LARGE_FRAME = 6 * 200_000;

/** A frame type that no RFC defines. */
const UNKNOWN_TYPE = 0xfa;
const UNKNOWN_PAYLOAD = Buffer.from('check');

type FrameRule = FamilyRule & Pick<Rule, 'section'>;

/**
 * A check that a frame ends the connection with an error.
 *
 * @param isAllowed whether the SETTINGS of the target allow the frame
 */
function connectionError({
  send,
  isAllowed = () => false,
  ...rule
}: FrameRule & {
  readonly send: (client: Http2Client) => void;
  readonly isAllowed?: (client: Http2Client) => boolean;
}): TopicCheck {
  return {
    isPrompt: true,
    ...rule,
    async run(session) {
      const client = await session.openHttp2();
      if (isAllowed(client)) return notApplicable('the SETTINGS of the target allow it');
      send(client);
      const isOver = await client.until(
        () => client.goaway !== undefined || client.isClosed,
        session.time,
      );
      const { goaway } = client;
      if (goaway && goaway.code !== 0) return pass(errorCodeName(goaway.code));
      if (goaway && !(await client.until(() => client.isClosed, session.time / 2)))
        return fail('GOAWAY with an error', 'GOAWAY with NO_ERROR', client.transfer);
      const { transfer } = await session.echoOn(client);
      return isOver
        ? pass('closed')
        : fail('GOAWAY, or the connection closed', 'the connection stays open', transfer);
    },
  };
}

/** Sends a request whose field block has these bytes at its end. */
function sendBlock(client: Http2Client, end: Buffer): void {
  const request = literals([
    [':method', 'GET'],
    [':scheme', 'https'],
    [':path', '/'],
  ]);
  const flags = Flag.endHeaders | Flag.endStream;
  client.sendFrame(FrameType.headers, flags, 1, Buffer.concat([request, end]));
}

/** A check that a frame is ignored, and the connection goes on. */
function ignored({
  send,
  judge = async () => pass(),
  ...rule
}: FrameRule & {
  readonly send: (client: Http2Client) => void;
  readonly judge?: (client: Http2Client, session: Session) => Promise<Verdict>;
}): TopicCheck {
  return {
    ...rule,
    async run(session) {
      const client = await session.openHttp2();
      send(client);
      const { received, transfer } = await session.echoOn(client);
      return received
        ? judge(client, session)
        : fail('the next request is served', transfer.ending, transfer);
    },
  };
}

/** Frames on HTTP/2 between client and target that break the rules, or must be ignored (RFC 9113 4 to 6). */
export const http2FrameChecks = topic(CONNECTION, [
  connectionError({
    id: 'h2/data-on-stream-0',
    section: 'RFC 9113 6.1',
    rule: 'DATA on stream 0 is a connection error.',
    send: (client) => client.sendFrame(FrameType.data, 0, 0, Buffer.from('x')),
  }),
  connectionError({
    id: 'h2/frame-too-large',
    section: 'RFC 9113 4.2',
    rule: 'A frame larger than SETTINGS_MAX_FRAME_SIZE is an error.',
    send: (client) => client.sendFrame(FrameType.settings, 0, 0, Buffer.alloc(LARGE_FRAME)),
    isAllowed: ({ settings }) => (settings?.get(SettingId.maxFrameSize) ?? 0) >= LARGE_FRAME,
  }),
  connectionError({
    id: 'h2/headers-too-large',
    section: 'RFC 9113 4.2',
    rule: 'HEADERS larger than SETTINGS_MAX_FRAME_SIZE is a connection error.',
    send: (client) => {
      const size = client.settings?.get(SettingId.maxFrameSize) ?? DEFAULT_MAX_FRAME_SIZE;
      sendBlock(client, literals([['x-padding', 'a'.repeat(size)]]));
    },
    isAllowed: ({ settings }) => (settings?.get(SettingId.maxFrameSize) ?? 0) >= LARGE_FRAME,
  }),
  connectionError({
    id: 'h2/window-0',
    section: 'RFC 9113 6.9',
    rule: 'WINDOW_UPDATE with an increment of 0 for the connection is an error.',
    send: (client) => client.sendFrame(FrameType.windowUpdate, 0, 0, uint32(0)),
  }),
  connectionError({
    id: 'h2/window-overflow',
    section: 'RFC 9113 6.9.1',
    rule: 'A flow-control window above 2^31-1 is an error.',
    send: (client) => client.sendFrame(FrameType.windowUpdate, 0, 0, uint32(MAX_WINDOW)),
  }),
  connectionError({
    id: 'h2/rst-idle',
    section: 'RFC 9113 6.4',
    rule: 'RST_STREAM on an idle stream is a connection error.',
    send: (client) => client.sendFrame(FrameType.rstStream, 0, 101, uint32(8)),
  }),
  connectionError({
    id: 'h2/data-idle',
    section: 'RFC 9113 5.1',
    rule: 'DATA on an idle stream is a connection error.',
    send: (client) => client.sendFrame(FrameType.data, 0, 101, Buffer.from('x')),
  }),
  connectionError({
    id: 'h2/window-idle',
    section: 'RFC 9113 5.1',
    rule: 'WINDOW_UPDATE on an idle stream is a connection error.',
    send: (client) => client.sendFrame(FrameType.windowUpdate, 0, 101, uint32(1)),
  }),
  connectionError({
    id: 'h2/even-stream',
    section: 'RFC 9113 5.1.1',
    rule: 'HEADERS from a client on a stream with an even identifier is a connection error.',
    send: (client) =>
      client.sendFrame(FrameType.headers, Flag.endHeaders | Flag.endStream, 2, Buffer.of(0x82)),
  }),
  connectionError({
    id: 'h2/hpack-index',
    section: 'RFC 7541 2.3.3',
    rule: 'An HPACK index beyond both tables is a compression error.',
    send: (client) =>
      client.sendFrame(
        FrameType.headers,
        Flag.endHeaders | Flag.endStream,
        1,
        Buffer.of(0xff, 0xff, 0x7f),
      ),
  }),
  connectionError({
    id: 'h2/hpack-size-update',
    section: 'RFC 7541 4.2',
    // The section requires of the encoder that it comes first, and does not say what a decoder does with another one: Go's
    // takes it while its table is empty.
    level: 'quality',
    rule: 'A dynamic table size update after a field is a compression error.',
    send: (client) => sendBlock(client, Buffer.of(0x20)),
  }),
  connectionError({
    id: 'h2/hpack-padding',
    section: 'RFC 7541 5.2',
    rule: 'A Huffman code with more than seven bits of padding is a compression error.',
    // A field without a value whose name is `x` in Huffman code, 7 bits, and 9 bits of padding.
    send: (client) => sendBlock(client, Buffer.of(0, 0x82, 0xf3, 0xff, 0)),
  }),
  connectionError({
    id: 'h2/continuation',
    section: 'RFC 9113 6.10',
    rule: 'CONTINUATION without preceding HEADERS is a connection error.',
    send: (client) => client.sendFrame(FrameType.continuation, Flag.endHeaders, 1, Buffer.of(0x82)),
  }),
  connectionError({
    id: 'h2/settings-length',
    section: 'RFC 9113 6.5',
    rule: 'SETTINGS with a length that is not a multiple of six is an error.',
    send: (client) => client.sendFrame(FrameType.settings, 0, 0, Buffer.alloc(5)),
  }),
  connectionError({
    id: 'h2/ping-length',
    section: 'RFC 9113 6.7',
    rule: 'PING with a length other than eight is an error.',
    send: (client) => client.sendFrame(FrameType.ping, 0, 0, Buffer.alloc(7)),
  }),
  ignored({
    id: 'h2/unknown-frame',
    section: 'RFC 9113 5.5',
    rule: 'Frames of unknown types are ignored.',
    send: (client) => client.sendFrame(UNKNOWN_TYPE, 0xff, 0, UNKNOWN_PAYLOAD),
    judge: async (client, session) => {
      const tag = session.newTag();
      const content = Buffer.from('content');
      const message = { method: 'POST', target: `/anything/${tag}`, content };
      const stream = client.start(tagged(tag, message));
      client.sendFrame(UNKNOWN_TYPE, 0xff, stream.id, UNKNOWN_PAYLOAD);
      await client.sendContent(stream, content, session.time);
      const transfer = session.record(await client.finish(stream, session.time));
      return receivedOf(transfer, tag)?.content.equals(content) === true
        ? pass()
        : fail('the frame on a stream is ignored', outcomeOf(transfer), transfer);
    },
  }),
  ignored({
    id: 'h2/unknown-setting',
    section: 'RFC 9113 6.5.2',
    rule: 'Unknown settings are ignored.',
    send: (client) =>
      client.sendFrame(FrameType.settings, 0, 0, Buffer.from('abcd00000001', 'hex')),
    // RFC 9113 6.5.3: SETTINGS are acknowledged in order. The first acknowledgement is for the initial SETTINGS.
    judge: async (client, session) =>
      (await client.until(() => client.acknowledged > 1, session.time))
        ? pass()
        : fail('an acknowledgement of these SETTINGS', 'none', client.transfer),
  }),
  ignored({
    id: 'h2/priority',
    section: 'RFC 9113 5.3.2',
    rule: 'PRIORITY frames are accepted.',
    send: (client) => client.sendFrame(FrameType.priority, 0, 7, Buffer.from('0000000010', 'hex')),
  }),
]);
