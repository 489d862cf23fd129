import { WEBSOCKET_VERSION } from '../../http/websocket.ts';
import { encodeFrame, Opcode } from '../../wire/websocket/frame.ts';
import { Flag, FrameType, SettingId, uint32 } from '../../wire/http2/frame.ts';
import { topic } from '../check.ts';
import { fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import type { Http2Client } from '../client/http2-client.ts';
import type { ClientStream } from '../client/http2-stream.ts';
import { endingOf, responseField, type Transfer } from '../message.ts';
import { TAG } from '../origin.ts';
import type { Session } from '../session.ts';
import { ERROR_CANCEL } from './cancel.ts';
import { asksForWebSocket, hasEnded, MASK, WEBSOCKET } from './websocket.ts';

const CONNECT = {
  ...WEBSOCKET,
  section: 'RFC 8441 5',
  fronts: ['h2'],
  needs: ['gateway', 'journal'],
} as const;

const MESSAGE = { isFinal: true, opcode: Opcode.text, content: Buffer.from('hello') };
const ECHO = encodeFrame(MESSAGE);

/** The origin selects the first one. */
const SUBPROTOCOLS = ['check.a', 'check.b'] as const;

/** A WebSocket on an HTTP/2 stream. */
interface Connected {
  readonly client: Http2Client;
  readonly stream: ClientStream;
  readonly tag: string;
  readonly transfer: Transfer;
}

/** Opens a WebSocket by extended CONNECT. @returns a verdict if it is refused */
async function connected(session: Session): Promise<Connected | Verdict> {
  const client = await session.openHttp2();
  if (client.settings?.get(SettingId.enableConnectProtocol) !== 1)
    return notApplicable('SETTINGS_ENABLE_CONNECT_PROTOCOL is not offered');
  const tag = session.newTag();
  const stream = client.begin(
    [
      [':method', 'CONNECT'],
      [':protocol', 'websocket'],
      [':scheme', session.target.isSecure ? 'https' : 'http'],
      [':authority', session.target.authority],
      [':path', session.unique('/websocket/echo')],
      ['sec-websocket-version', WEBSOCKET_VERSION],
      ['sec-websocket-protocol', SUBPROTOCOLS.join(', ')],
      [TAG.toLowerCase(), tag],
    ],
    false,
  );
  const transfer = session.record(
    await client.finish(stream, session.time, () => stream.head !== undefined),
  );
  if (stream.head?.status === 200) return { client, stream, tag, transfer };
  const [entry] = await session.arrived(tag);
  // An older wirebin, or another dialect.
  if (entry?.response?.status === 404) return notApplicable('the origin has no /websocket/echo');
  // The origin may not offer extended CONNECT.
  if (session.met.has('h2-origin') && !(entry && asksForWebSocket(entry)))
    return notApplicable('the target does not forward it to an origin on HTTP/2');
  return fail('200', endingOf(transfer), transfer);
}

/** Sends a message. @returns whether it came back, and the transfer */
async function echoed(
  session: Session,
  { client, stream }: Connected,
): Promise<readonly [isEchoed: boolean, transfer: Transfer]> {
  await client.sendContent(stream, encodeFrame(MESSAGE, MASK), session.time, undefined, false);
  const isEchoed = (): boolean => Buffer.concat(stream.content).includes(ECHO);
  const transfer = session.record(await client.finish(stream, session.time, isEchoed));
  return [isEchoed(), transfer];
}

/** How a client ends its stream: normally, or by a reset. */
const ENDS = {
  END_STREAM: [FrameType.data, Flag.endStream, Buffer.alloc(0)],
  'RST_STREAM (CANCEL)': [FrameType.rstStream, 0, uint32(ERROR_CANCEL)],
} as const;

/** WebSockets by extended CONNECT (RFC 8441), where the target offers it. */
export const websocketConnectChecks = topic(CONNECT, [
  {
    id: 'websocket/extended-connect',
    rule: 'Where SETTINGS_ENABLE_CONNECT_PROTOCOL is offered, extended CONNECT opens a WebSocket that forwards messages.',
    async run(session) {
      const opened = await connected(session);
      if ('outcome' in opened) return opened;
      const [isEchoed, transfer] = await echoed(session, opened);
      if (!isEchoed) return fail('the message sent back', endingOf(transfer), transfer);
      const selected = responseField(transfer, 'sec-websocket-protocol') ?? 'missing';
      return selected === SUBPROTOCOLS[0]
        ? pass()
        : fail(SUBPROTOCOLS[0], `sec-websocket-protocol: ${selected}`, transfer);
    },
  },
  {
    id: 'websocket/connect-ends',
    rule: 'When the client ends or resets the stream of a WebSocket, the connection to the origin ends.',
    risk: 'latency',
    after: ['websocket/extended-connect'],
    async run(session) {
      for (const [words, [type, flags, payload]] of Object.entries(ENDS)) {
        const opened = await connected(session);
        if ('outcome' in opened) return opened;
        // Before the first message comes back, the target may not have connected both sides.
        const [, transfer] = await echoed(session, opened);
        opened.client.sendFrame(type, flags, opened.stream.id, payload);
        if (!(await hasEnded(session, opened.tag)))
          return fail(
            'the connection to the origin ends',
            `it stays open after ${words}`,
            transfer,
          );
      }
      return pass(Object.keys(ENDS).join(', '));
    },
  },
]);
