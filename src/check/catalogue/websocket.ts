import { acceptKey, WEBSOCKET_VERSION } from '../../http/websocket.ts';
import {
  CloseCode,
  closeContent,
  encodeFrame,
  Opcode,
  type WebSocketFrame,
} from '../../wire/websocket/frame.ts';
import { WebSocketReader } from '../../wire/websocket/frame-reader.ts';
import type { JournalEntry } from '../../telemetry/journal/entry.ts';
import { topic, type FamilyRule, type TopicCheck } from '../check.ts';
import { expectSame, fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import type { Http1Client } from '../client/http1-client.ts';
import { fieldLines } from '../client/http1-message.ts';
import { listOf, outcomeOf, valueOf, type FieldLine, type Transfer } from '../message.ts';
import { isFromOrigin, rawTarget, TAG, tagged } from '../origin.ts';
import type { Session } from '../session.ts';
import { judgeFrames, shownFrames } from './websocket-frames.ts';

export const WEBSOCKET = {
  section: 'RFC 9110 7.8',
  level: 'quality',
  risk: 'interop',
  fronts: ['http/1.1'],
  needs: ['gateway', 'journal', 'http1-origin'],
} as const;

/** The key of the example in RFC 6455 1.3. */
const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
export const ACCEPT = acceptKey(KEY);

/** The mask of zeros leaves content readable. The path in between needs no protection from it (RFC 6455 10.3). */
export const MASK = new Uint8Array(4);

export const HANDSHAKE: readonly FieldLine[] = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Key', KEY],
  ['Sec-WebSocket-Version', WEBSOCKET_VERSION],
];

export const ECHO = '/websocket/echo';

/** WebSocket frames that the origin sends after its 101. A ping may stand between fragments (RFC 6455 5.4). */
const SENT: readonly Frame[] = [
  [Opcode.text, 'in ', false],
  [Opcode.ping, 'ping'],
  [Opcode.continuation, 'three ', false],
  [Opcode.continuation, 'fragments'],
  [Opcode.binary, Uint8Array.from({ length: 300 }, (_, at) => at)],
  [Opcode.close, closeContent(CloseCode.normal)],
];

/** A target at which the origin accepts the handshake, and then sends the bytes. */
export function switchingWith(bytes: Buffer, fields: readonly FieldLine[] = []): string {
  const lines: readonly FieldLine[] = [
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
    ['Sec-WebSocket-Accept', ACCEPT],
    ...fields,
  ];
  const head = `HTTP/1.1 101 Switching Protocols\r\n${fieldLines(lines)}\r\n`;
  return rawTarget(Buffer.concat([Buffer.from(head), bytes]));
}

/**
 * Opcode and content of a frame. By default it is the final frame of its message, and not the first one of a compressed
 * message.
 */
export type Frame = readonly [
  opcode: number,
  content: string | Uint8Array,
  isFinal?: boolean,
  isCompressed?: boolean,
];

export function frameOf([opcode, content, isFinal = true, isCompressed]: Frame): WebSocketFrame {
  return { isFinal, opcode, isCompressed: isCompressed ?? false, content: Buffer.from(content) };
}

export interface UpgradedClient {
  readonly client: Http1Client;
  readonly transfer: Transfer;
  readonly tag: string;
  /** What the origin received of the handshake. */
  readonly entry: JournalEntry;
}

/** Whether the origin received a WebSocket handshake: by Upgrade, or on HTTP/2 by extended CONNECT. */
export const asksForWebSocket = ({ raw_headers: lines }: JournalEntry): boolean =>
  lines.some((line) => /^(?:upgrade|:protocol): websocket$/i.test(line.join(': ')));

/** A connection on which the origin has accepted the handshake; undefined if the handshake did not reach the origin. */
export async function upgraded(
  session: Session,
  target: string,
  offered: readonly FieldLine[] = [],
): Promise<UpgradedClient | undefined> {
  const tag = session.newTag();
  const client = await session.openHttp1();
  const message = tagged(tag, { target, fields: [...HANDSHAKE, ...offered] });
  const transfer = await session.sendOn(client, message);
  const [entry] = await session.arrived(tag);
  return entry && asksForWebSocket(entry) ? { client, transfer, tag, entry } : undefined;
}

/** Whether the connection of a WebSocket to the origin ends. */
export async function hasEnded(session: Session, tag: string): Promise<boolean> {
  const entry = await session.ended(tag, Math.min(5, session.time / 2000));
  return entry !== undefined && entry.outcome !== null;
}

export const NOT_FORWARDED = notApplicable('the target does not forward Upgrade');

/** A check that begins with a handshake accepted by the origin. */
function afterHandshake({
  judge,
  target = ECHO,
  ...rule
}: FamilyRule & {
  readonly judge: (
    session: Session,
    client: Http1Client,
    transfer: Transfer,
  ) => Verdict | Promise<Verdict>;
  readonly target?: string;
}): TopicCheck {
  return {
    ...rule,
    async run(session) {
      const opened = await upgraded(session, target);
      if (!opened) return NOT_FORWARDED;
      return judge(session, opened.client, opened.transfer);
    },
  };
}

const AFTER = ['websocket/handshake'] as const;

/** Frames of the origin, or what is wrong with the bytes. */
function framesIn(bytes: Buffer): readonly WebSocketFrame[] | string {
  const limit = bytes.length;
  try {
    const reader = new WebSocketReader({ isMasked: false, maxFrame: limit, maxMessage: limit });
    const frames = [...reader.read(bytes)];
    const rest = limit - Buffer.concat(frames.map((each) => encodeFrame(each))).length;
    return rest === 0 ? frames : `${shownFrames(frames)}; then ${rest} bytes that are no frame`;
  } catch (error) {
    return String(error);
  }
}

/**
 * A check that frames which the origin sends together with 101 are forwarded, and nothing else.
 *
 * @param isWithoutClose whether a Close frame that is among them may be missing
 */
function forwardsWith101({
  frames,
  isWithoutClose = false,
  ...rule
}: FamilyRule & {
  readonly frames: readonly Frame[];
  readonly isWithoutClose?: boolean;
}): TopicCheck {
  const sent = frames.map(frameOf);
  const bytes = Buffer.concat(sent.map((each) => encodeFrame(each)));
  const compared = (each: readonly WebSocketFrame[]): readonly WebSocketFrame[] =>
    each.filter(({ opcode }) => !isWithoutClose || opcode !== Opcode.close);
  return afterHandshake({
    risk: 'data-loss',
    needs: [...WEBSOCKET.needs, 'raw'],
    after: AFTER,
    ...rule,
    target: switchingWith(bytes),
    async judge(session, client, handshake) {
      // The origin closes the connection after the frames.
      await client.closed(session.time);
      const transfer = await session.rawOn(client);
      const received = framesIn(Buffer.from(transfer.received, 'latin1'));
      return typeof received === 'string'
        ? fail(shownFrames(sent), received, handshake, transfer)
        : judgeFrames(compared(sent), compared(received), handshake, transfer);
    },
  });
}

/** Upgrade to WebSocket (RFC 6455 4, RFC 9110 7.8). */
export const websocketChecks = topic(WEBSOCKET, [
  afterHandshake({
    id: 'websocket/handshake',
    section: 'RFC 6455 4.1',
    rule: '101 from the origin is forwarded with Upgrade, Connection and Sec-WebSocket-Accept.',
    level: 'must',
    judge: (_session, _client, transfer) => {
      const { status, fields = [] } = transfer.response ?? {};
      if (status !== 101) return fail('101', outcomeOf(transfer), transfer);
      const options = listOf(fields, 'connection');
      const found = [
        valueOf(fields, 'upgrade')?.toLowerCase(),
        // Connection may contain other options, too (RFC 6455 4.1).
        options.includes('upgrade') ? 'upgrade' : options.join(),
        valueOf(fields, 'sec-websocket-accept'),
      ];
      return expectSame(`websocket, upgrade, ${ACCEPT}`, found.join(', '), transfer);
    },
  }),
  forwardsWith101({
    id: 'websocket/frames',
    section: 'RFC 6455 5.4',
    rule: 'WebSocket frames that the origin sends together with 101 are forwarded: fragments, a ping between them, binary data, close.',
    frames: SENT,
  }),
  forwardsWith101({
    id: 'websocket/with-101',
    rule: 'A message that the origin sends together with 101 is forwarded.',
    level: 'must',
    frames: [
      [Opcode.text, 'at once'],
      [Opcode.close, closeContent(CloseCode.normal)],
    ],
    isWithoutClose: true,
  }),
  {
    id: 'websocket/refused',
    rule: 'After a refused handshake, the connection carries HTTP again and is not a tunnel.',
    level: 'must',
    risk: 'security',
    needs: ['gateway', 'http1-origin'],
    async run(session) {
      const client = await session.openHttp1();
      const refused = await session.sendOn(client, {
        target: '/status/403',
        fields: HANDSHAKE,
      });
      if (!isFromOrigin(refused))
        return notApplicable(`the target itself refuses the handshake: ${outcomeOf(refused)}`);
      if (!refused.isReusable) return pass(`${outcomeOf(refused)}, then closed`);
      const fields = [
        ['Connection', 'X-Check-Inside'],
        ['X-Check-Inside', 'a'],
      ] as const;
      const { transfer: next, received, tag } = await session.echoOn(client, { fields });
      if (!received) return pass(outcomeOf(next));
      // A gateway would have changed Connection at least (RFC 9110 7.6.1).
      const sent = [['Host', session.target.authority], ...fields, [TAG, tag]];
      return JSON.stringify(received.fields) === JSON.stringify(sent)
        ? fail(
            'a request that the gateway forwards as HTTP',
            'bytes forwarded as through a tunnel',
            refused,
            next,
          )
        : pass();
    },
  },
]);
