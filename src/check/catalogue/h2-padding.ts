import { DEFAULT_WINDOW, FrameType, SettingId } from '../../wire/http2/frame.ts';
import { topic } from '../check.ts';
import { outcomeOf } from '../message.ts';
import { tagged, uploadOf } from '../origin.ts';
import { expectSame, fail, notApplicable, pass } from '../verdict.ts';
import { PING_DATA } from '../client/http2-frames.ts';
import { counted } from '../words.ts';
import { KiB } from './bounds.ts';
import { CONNECTION } from './h2-frame.ts';
import { withoutEcho } from './received.ts';

const PADDING = 255;
/** More than a frame holds by default. */
const CONTENT = Buffer.alloc(20 * KiB, 'padded content, ');
/** Content of a frame that is mostly padding. */
const PIECE = Buffer.alloc(16, 'x');
/** The largest window that is used up, in bytes. */
const MAX_WINDOW = 128 * KiB;

/** Padded frames on HTTP/2 at the front (RFC 9113 6.1, 6.2). */
export const http2PaddingChecks = topic({ ...CONNECTION, observes: 'arrival' }, [
  {
    id: 'h2/padded',
    section: 'RFC 9113 6.1',
    rule: 'A request with padding in HEADERS and DATA is forwarded without the padding.',
    risk: 'data-loss',
    observes: 'echo',
    async run(session) {
      const client = await session.openHttp2({ padding: PADDING });
      const echo = await session.echoOn(client, { method: 'POST', content: CONTENT });
      const { received, transfer } = echo;
      if (!received) {
        const ordinary = await session.echo({ method: 'POST', content: CONTENT });
        return ordinary.received
          ? fail('forwarded, as without padding', withoutEcho(echo), transfer)
          : notApplicable(`not forwarded without padding either: ${withoutEcho(ordinary)}`);
      }
      return received.content.equals(CONTENT)
        ? pass()
        : fail(
            counted(CONTENT.length, 'byte'),
            `${counted(received.content.length, 'byte')}, which differ from those that were sent`,
            transfer,
          );
    },
  },
  {
    id: 'h2/padding-window',
    after: ['h2/padded'],
    // "The entire DATA frame payload is included in flow control, including the Pad Length and Padding fields if present."
    section: 'RFC 9113 6.1',
    rule: 'Flow-control credit is returned for padding too: an upload in DATA frames that are mostly padding does not stall.',
    risk: 'data-loss',
    async run(session) {
      const client = await session.openHttp2({ padding: PADDING });
      // A server enlarges the window of the connection after its SETTINGS.
      client.sendFrame(FrameType.ping, 0, 0, PING_DATA);
      await client.until(() => client.pongs > 0, session.time);
      const initial = client.settings?.get(SettingId.initialWindowSize) ?? DEFAULT_WINDOW;
      const window = Math.min(client.window, initial);
      if (window > MAX_WINDOW)
        return notApplicable(`its windows of ${counted(window, 'byte')} are too large to use up`);
      const tag = session.newTag();
      const target = session.unique('/upload');
      // Enough to use up the window even if everything except the padding is returned to it.
      const count = Math.ceil(window / PADDING) + 1;
      const content = Buffer.alloc(count * PIECE.length, PIECE);
      const stream = client.start(tagged(tag, { method: 'POST', target, content }));
      const deadline = performance.now() + session.time;
      for (let at = 1; at <= count; at++) {
        const left = deadline - performance.now();
        if (!(await client.sendContent(stream, PIECE, left, undefined, at === count))) break;
      }
      const transfer = session.record(await client.finish(stream, deadline - performance.now()));
      // "An endpoint MAY treat activity that is suspicious as a connection error", and padding can be that.
      if (session.isCalmed)
        return notApplicable('the target takes so much padding for an attack (RFC 9113 10.5)');
      const sent = counted(content.length, 'byte');
      const upload = uploadOf(transfer.response);
      return upload
        ? expectSame(sent, counted(upload.bytes_received, 'byte'), transfer)
        : fail(
            `${sent} arrive`,
            `${outcomeOf(transfer)}, with a window of ${Math.min(client.window, stream.window)}`,
            transfer,
          );
    },
  },
]);
