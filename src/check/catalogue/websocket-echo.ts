import { setTimeout as pause } from 'node:timers/promises';
import { CloseCode, closeContent, Opcode } from '../../wire/websocket/frame.ts';
import { topic, type FamilyRule, type TopicCheck } from '../check.ts';
import { expectSame, fail, pass, type Verdict } from '../verdict.ts';
import { responseField, valuesOf, type FieldLine } from '../message.ts';
import {
  ACCEPT,
  ECHO,
  hasEnded,
  NOT_FORWARDED,
  switchingWith,
  upgraded,
  WEBSOCKET,
  type Frame,
  type UpgradedClient,
} from './websocket.ts';
import { echoCheck } from './websocket-echo-client.ts';

/** Bytes of a message, so many that its length has 64 bits (RFC 6455 5.2). */
const LARGE = 70_000;
/** Seconds between pings, and until the last one: longer than many proxies keep an idle connection open. */
const PING_INTERVAL = 15;
const PINGED = 65;

/** A check that frames come back from the origin as they were sent. @param received default: those sent */
const roundTrip = ({
  sent,
  received = sent,
  ...rule
}: FamilyRule & {
  readonly sent: readonly Frame[];
  readonly received?: readonly Frame[];
}): TopicCheck =>
  echoCheck({
    ...rule,
    judge: async (client) => {
      client.send(sent);
      await client.received(received.length);
      return client.judge(received);
    },
  });

/** A check of Upgrade to an origin on HTTP/2: the target translates the handshake to extended CONNECT (RFC 8441 5). */
function toHttp2Origin(): TopicCheck {
  const sent: readonly Frame[] = [[Opcode.text, 'to HTTP/2']];
  return echoCheck({
    id: 'websocket/h2-origin',
    section: 'RFC 8441 5',
    rule: 'A WebSocket that the target opens at an origin on HTTP/2 is accepted, and forwards messages.',
    needs: ['gateway', 'journal', 'h2-origin'],
    after: [],
    judge: async (client) => {
      const { transfer } = client.opened;
      const accept = responseField(transfer, 'sec-websocket-accept') ?? 'missing';
      if (accept !== ACCEPT) return fail(ACCEPT, `Sec-WebSocket-Accept: ${accept}`, transfer);
      client.send(sent);
      await client.received(sent.length);
      return client.judge(sent);
    },
  });
}

/** A check that the connection to the origin ends when the client ends its own. */
const clientEnds = ({
  end,
  ...rule
}: FamilyRule & { readonly end: (client: UpgradedClient['client']) => void }): TopicCheck =>
  echoCheck({
    risk: 'latency',
    ...rule,
    judge: async (client, session) => {
      // Before the first message comes back, the target may not have connected both sides.
      client.send([[Opcode.text, 'open']]);
      await client.received(1);
      end(client.opened.client);
      return (await hasEnded(session, client.opened.tag))
        ? pass()
        : fail('the connection to the origin ends', 'it stays open', ...client.evidence());
    },
  });

/** A Close frame, and the target at which the origin sends it right after its 101. */
const CLOSE: Frame = [Opcode.close, closeContent(4001, 'checked')];
const CLOSING = `${ECHO}?close=4001&reason=checked`;

const SUBPROTOCOLS = [
  ['Sec-WebSocket-Protocol', 'check.a, check.b'],
  ['Sec-WebSocket-Extensions', 'x-check; a=1; b="2", permessage-deflate'],
] as const satisfies readonly FieldLine[];
const SELECTED = [
  ['Sec-WebSocket-Protocol', 'check.b'],
  ['Sec-WebSocket-Extensions', 'x-check; a=1'],
] as const satisfies readonly FieldLine[];

const textOf = (fields: readonly FieldLine[]): string =>
  SUBPROTOCOLS.map(([name]) => `${name}: ${valuesOf(fields, name).join(', ')}`).join('; ');

/** A check of the handshake's fields, at the origin or in its response. */
const negotiation = ({
  judge,
  target,
  ...rule
}: FamilyRule & {
  readonly judge: (opened: UpgradedClient) => Verdict;
  readonly target: string;
}): TopicCheck => ({
  after: ['websocket/handshake'],
  ...rule,
  async run(session) {
    const opened = await upgraded(session, target, SUBPROTOCOLS);
    return opened ? judge(opened) : NOT_FORWARDED;
  },
});

/** "Message fragments MUST be delivered to the recipient", and a message of one frame is a fragment of itself. */
const DELIVERED = { section: 'RFC 6455 5.4', level: 'must' } as const;

/** WebSockets that the origin echoes, frame by frame (RFC 6455). */
export const websocketEchoChecks = topic(WEBSOCKET, [
  negotiation({
    id: 'websocket/offered',
    section: 'RFC 6455 4.1',
    rule: 'Sec-WebSocket-Protocol and Sec-WebSocket-Extensions of the client are forwarded as they are.',
    target: ECHO,
    judge: ({ entry, transfer }) =>
      expectSame(textOf(SUBPROTOCOLS), textOf(entry.raw_headers), transfer),
  }),
  negotiation({
    id: 'websocket/selected',
    section: 'RFC 6455 4.2.2',
    rule: 'Sec-WebSocket-Protocol and Sec-WebSocket-Extensions of the origin are forwarded as they are.',
    needs: [...WEBSOCKET.needs, 'raw'],
    target: switchingWith(Buffer.alloc(0), SELECTED),
    judge: ({ transfer }) =>
      expectSame(textOf(SELECTED), textOf(transfer.response?.fields ?? []), transfer),
  }),
  toHttp2Origin(),
  echoCheck({
    id: 'websocket/from-origin',
    section: 'RFC 9110 7.8',
    rule: 'What the origin sends after 101, before anything of the client, is forwarded.',
    level: 'must',
    target: CLOSING,
    judge: async (client) => {
      await client.received(1);
      return client.judge([CLOSE]);
    },
  }),
  echoCheck({
    id: 'websocket/origin-closes',
    section: 'RFC 9110 7.8',
    rule: 'The connection of the client is closed when the origin closes its own.',
    risk: 'latency',
    target: CLOSING,
    judge: async (client, session) => {
      await client.received(1);
      // The origin closes after both Close frames (RFC 6455 7.1.1).
      client.send([CLOSE]);
      return (await client.opened.client.closed(session.time))
        ? pass()
        : fail('the connection closed', 'it stays open', ...client.evidence());
    },
  }),
  roundTrip({
    ...DELIVERED,
    id: 'websocket/text',
    rule: 'Text messages are forwarded to the origin and back, one of them empty.',
    sent: [
      [Opcode.text, 'wirebin \u00e9 \u20ac'],
      [Opcode.text, ''],
    ],
  }),
  roundTrip({
    ...DELIVERED,
    id: 'websocket/binary',
    rule: 'A binary message is forwarded to the origin and back, whatever its bytes.',
    sent: [[Opcode.binary, Uint8Array.from({ length: 256 }, (_, at) => at)]],
  }),
  roundTrip({
    ...DELIVERED,
    id: 'websocket/large',
    rule: 'A message of more than 64 KiB is forwarded to the origin and back.',
    sent: [[Opcode.binary, 'x'.repeat(LARGE)]],
  }),
  roundTrip({
    id: 'websocket/fragments',
    section: 'RFC 6455 5.4',
    rule: 'A message in fragments is forwarded, and so is a ping between them.',
    sent: [
      [Opcode.text, 'in ', false],
      [Opcode.ping, 'ping'],
      [Opcode.continuation, 'two'],
    ],
    received: [
      [Opcode.text, 'in ', false],
      [Opcode.pong, 'ping'],
      [Opcode.continuation, 'two'],
    ],
  }),
  roundTrip({
    id: 'websocket/close',
    section: 'RFC 6455 5.5.1',
    rule: 'Code and reason of a Close frame are forwarded to the origin and back.',
    risk: 'interop',
    sent: [CLOSE],
  }),
  clientEnds({
    id: 'websocket/client-closes',
    rule: 'When the client closes its connection without a Close frame, that to the origin ends.',
    end: ({ opened }) => opened.stream.end(),
  }),
  clientEnds({
    id: 'websocket/client-resets',
    rule: 'When the client resets its connection, that to the origin ends.',
    end: (client) => client.close('reset'),
  }),
  pinged(PINGED, PING_INTERVAL),
]);

/**
 * A check of a WebSocket that carries only pings.
 *
 * @param seconds until the last ping
 * @param interval seconds between pings
 */
export function pinged(seconds: number, interval: number): TopicCheck {
  return echoCheck({
    id: 'websocket/pinged',
    section: 'RFC 6455 5.5.2',
    rule: `A WebSocket on which the client sends a ping every ${interval} s stays open for ${seconds} s.`,
    isSlow: true,
    judge: async (client) => {
      const count = Math.ceil(seconds / interval);
      const pongs: Frame[] = [];
      for (let ping = 0; ping <= count; ping++) {
        if (ping > 0) await pause(interval * 1000);
        client.send([[Opcode.ping, 'idle']]);
        pongs.push([Opcode.pong, 'idle']);
        await client.received(pongs.length);
        if (client.frames.length < pongs.length) break;
      }
      const verdict = client.judge(pongs);
      client.send([[Opcode.close, closeContent(CloseCode.normal)]]);
      return verdict;
    },
  });
}
