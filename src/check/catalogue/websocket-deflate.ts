import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { deflateAnswerFault } from '../../http/websocket.ts';
import { Opcode, type WebSocketFrame } from '../../wire/websocket/frame.ts';
import { topic, type FamilyRule, type TopicCheck } from '../check.ts';
import { NO_WEBSOCKET_DEFLATE } from '../front.ts';
import { valuesOf, type FieldLine, type Transfer } from '../message.ts';
import type { Session } from '../session.ts';
import { expectSame, fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import { KiB } from './bounds.ts';
import {
  ECHO,
  HANDSHAKE,
  upgraded,
  WEBSOCKET,
  type Frame,
  type UpgradedClient,
} from './websocket.ts';
import { echoCheck } from './websocket-echo-client.ts';

const DEFLATE = 'permessage-deflate';
const NAME = 'Sec-WebSocket-Extensions';
/** With it, each message is compressed by itself. */
const ALONE = `${DEFLATE}; server_no_context_takeover; client_no_context_takeover`;
const answerOf = ({ response }: Transfer): string | undefined =>
  valuesOf(response?.fields ?? [], NAME).join(', ') || undefined;

/** An echo that the origin refuses unless it accepts an offer. */
const DEPENDENT = `${ECHO}?final-block`;

/** The verdict where the origin has accepted no offer. */
function notAccepted({ entry }: UpgradedClient): Verdict {
  const offered = valuesOf(entry.raw_headers, NAME).join(', ');
  return notApplicable(
    offered.includes(DEFLATE)
      ? NO_WEBSOCKET_DEFLATE
      : `the target does not forward the offer of ${DEFLATE}`,
  );
}

/** Opens a WebSocket that the origin accepts only with permessage-deflate. @returns it, if its answer does not arrive */
async function acceptedWithoutAnswer(session: Session): Promise<Transfer | undefined> {
  const opened = await upgraded(session, DEPENDENT, [[NAME, DEFLATE]]);
  const isAccepted = opened?.transfer.response?.status === 101;
  return isAccepted && answerOf(opened.transfer) === undefined ? opened.transfer : undefined;
}

/** The end of a flush, which messages leave out (RFC 7692 7.2.1). */
const TAIL = Buffer.of(0, 0, 0xff, 0xff);
/** Maximum bytes of an inflated message. */
const MAX_INFLATED = 64 * KiB;

/** The content of a message, compressed (RFC 7692 7.2.1). */
function compressed(text: string): Buffer {
  const bytes = deflateRawSync(text, { finishFlush: constants.Z_SYNC_FLUSH });
  return bytes.subarray(0, -TAIL.length);
}

/** The same, as one DEFLATE stream that ends: its last block has BFINAL (RFC 7692 7.2.3.4). */
const compressedToEnd = (text: string): Buffer =>
  Buffer.concat([deflateRawSync(text), Buffer.of(0)]);

/** The content of a compressed message (RFC 7692 7.2.2); undefined if it is malformed. */
function inflated(content: Buffer): string | undefined {
  try {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_INFLATED };
    return inflateRawSync(Buffer.concat([content, TAIL]), options).toString('latin1');
  } catch {
    return undefined;
  }
}

/** Describes messages and control frames, in the order in which they end. */
function messagesOf(frames: readonly WebSocketFrame[]): string {
  const texts: string[] = [];
  let parts: WebSocketFrame[] = [];
  for (const each of frames) {
    if (each.opcode >= Opcode.close) {
      texts.push(`opcode ${each.opcode}: ${each.content.toString('latin1')}`);
      continue;
    }
    parts.push(each);
    if (!each.isFinal) continue;
    const content = Buffer.concat(parts.map((part) => part.content));
    const [first = each] = parts;
    const text = first.isCompressed ? inflated(content) : content.toString('latin1');
    texts.push(`opcode ${first.opcode}: ${text ?? `malformed: ${content.toString('hex')}`}`);
    parts = [];
  }
  if (parts.length > 0) texts.push('a message without an end');
  return texts.join('; ') || 'no frames';
}

/**
 * A check that compressed messages come back, however they are framed.
 *
 * @param how parameters of the echo that frame what the origin sends
 * @param frames number of those that the origin sends
 */
function compressedTrip({
  sent,
  how,
  frames,
  expected,
  ...rule
}: FamilyRule & {
  readonly sent: readonly Frame[];
  readonly how: string;
  readonly frames: number;
  readonly expected: readonly string[];
}): TopicCheck {
  return echoCheck({
    ...rule,
    target: `${ECHO}?${how}`,
    offered: [[NAME, ALONE]],
    judgeUnavailable: notAccepted,
    judge: async (client, session) => {
      const answer = answerOf(client.opened.transfer);
      if (answer === undefined)
        return (await acceptedWithoutAnswer(session))
          ? notApplicable(`the target drops the answer to the offer of ${DEFLATE}`)
          : notAccepted(client.opened);
      // As the origin answers. Otherwise a message could depend on earlier ones.
      if (!answer.includes('server_no_context_takeover'))
        return notApplicable(`the answer is ${answer}`);
      client.send(sent);
      await client.received(frames);
      const found = client.error ?? messagesOf(client.frames);
      return expectSame(expected.join('; '), found, ...client.evidence());
    },
  });
}

const WHOLE = 'a compressed message in two fragments, with a ping between them';
const PIECES = compressed(WHOLE);
const HALF = PIECES.length >> 1;

const FIRST_OFFER = DEFLATE;
/** More offers, valid and invalid (RFC 7692 7.1). The client does not use what is agreed on. */
const OFFERS: readonly string[] = [
  ALONE,
  `${DEFLATE}; client_max_window_bits`,
  `${DEFLATE}; client_max_window_bits=10`,
  ...[8, 9, 12, 15].map((bits) => `${DEFLATE}; server_max_window_bits=${bits}`),
  `${DEFLATE}; server_max_window_bits=10, ${DEFLATE}`,
  `${DEFLATE}; x_check=1, ${DEFLATE}; client_max_window_bits`,
  `${DEFLATE}; x_check`,
  `${DEFLATE}; server_max_window_bits=16`,
  `${DEFLATE}; server_max_window_bits=10; server_max_window_bits=10`,
];

/** Compressed messages of WebSockets (RFC 7692). */
export const websocketDeflateChecks = topic(WEBSOCKET, [
  compressedTrip({
    id: 'websocket/compressed-fragments',
    section: 'RFC 7692 6',
    rule: 'A compressed message in two fragments, with a ping between them, is forwarded to the origin and back.',
    after: ['websocket/handshake', 'websocket/fragments'],
    sent: [
      [Opcode.text, PIECES.subarray(0, HALF), false, true],
      [Opcode.ping, 'ping'],
      [Opcode.continuation, PIECES.subarray(HALF)],
    ],
    how: 'split',
    frames: 4,
    expected: [
      `opcode ${Opcode.pong}: ping`,
      `opcode ${Opcode.ping}: 1`,
      `opcode ${Opcode.text}: ${WHOLE}`,
    ],
  }),
  compressedTrip({
    id: 'websocket/compressed-final-block',
    section: 'RFC 7692 7.2.3.4',
    rule: 'A compressed message whose last block is marked as final (BFINAL) is forwarded, and so is the message after it.',
    sent: [
      [Opcode.text, compressedToEnd('the final block'), true, true],
      [Opcode.text, compressed('another message'), true, true],
    ],
    how: 'final-block',
    frames: 2,
    expected: [`opcode ${Opcode.text}: the final block`, `opcode ${Opcode.text}: another message`],
  }),
  echoCheck({
    id: 'websocket/deflate-answer',
    section: 'RFC 7692 7.1',
    rule: 'The answer to an offer of permessage-deflate is not dropped, and is valid: it agrees to nothing that was not offered, and to no invalid offer.',
    level: 'must',
    risk: 'interop',
    offered: [[NAME, FIRST_OFFER]],
    judge: async ({ opened }, session) => {
      const ask = async (offer: string): Promise<Transfer> => {
        const fields: readonly FieldLine[] = [...HANDSHAKE, [NAME, offer]];
        return session.send({ target: ECHO, fields });
      };
      const answered = await Promise.all(
        OFFERS.map(async (offer) => ({ offer, transfer: await ask(offer) })),
      );
      let agreed = 0;
      for (const { offer, transfer } of [
        { offer: FIRST_OFFER, transfer: opened.transfer },
        ...answered,
      ]) {
        // An origin may refuse the handshake instead of declining an offer.
        if (transfer.response?.status !== 101) continue;
        const answer = answerOf(transfer);
        const fault = deflateAnswerFault(offer, answer);
        if (fault !== undefined)
          return fail(`an answer to ${offer}`, `${answer}: ${fault}`, transfer);
        if (answer !== undefined) agreed++;
      }
      if (agreed > 0) return pass(`${agreed} of ${answered.length + 1} offers`);
      const accepted = await acceptedWithoutAnswer(session);
      return accepted
        ? fail(`the origin's answer to ${FIRST_OFFER}`, 'no Sec-WebSocket-Extensions', accepted)
        : notAccepted(opened);
    },
  }),
]);
