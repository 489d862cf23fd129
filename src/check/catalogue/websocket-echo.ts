import { setTimeout as pause } from 'node:timers/promises';
import {
  CloseCode,
  closeContent,
  encodeFrame,
  Opcode,
  type WebSocketFrame,
} from '../../wire/websocket/frame.ts';
import { WebSocketReader } from '../../wire/websocket/frame-reader.ts';
import { topic, type FamilyRule, type TopicCheck } from '../check.ts';
import { expectSame, fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import { Changes } from '../client/changes.ts';
import {
  outcomeOf,
  responseField,
  valuesOf,
  type Ending,
  type FieldLine,
  type Transfer,
} from '../message.ts';
import type { Session } from '../session.ts';
import { KiB } from './bounds.ts';
import {
  ACCEPT,
  ECHO,
  frameOf,
  hasEnded,
  MASK,
  NOT_FORWARDED,
  switchingWith,
  upgraded,
  WEBSOCKET,
  type Frame,
  type UpgradedClient,
} from './websocket.ts';

const LIMITS = { isMasked: false, maxFrame: 1024 * KiB, maxMessage: 1024 * KiB };
/** Bytes that a target may send back, in any frames: more than any check sends. */
const MAX_RECEIVED = 256 * KiB;
/** Number of frames that are shown, and the bytes of content that are shown of each. */
const MAX_FRAMES = 10;
const MAX_SHOWN = 40;
/** Bytes of a message, so many that its length has 64 bits (RFC 6455 5.2). */
const LARGE = 70_000;
/** Seconds between pings, and until the last one: longer than many proxies keep an idle connection open. */
const PING_INTERVAL = 15;
const PINGED = 65;

/** A WebSocket to the echo of the origin. */
class EchoClient {
  readonly opened: UpgradedClient;
  readonly frames: WebSocketFrame[] = [];
  readonly #session: Session;
  readonly #changes = new Changes();
  #sent = '';
  #received = '';
  #error: string | undefined;

  constructor(session: Session, opened: UpgradedClient) {
    this.#session = session;
    this.opened = opened;
    const reader = new WebSocketReader(LIMITS);
    // Frames can come together with 101.
    this.#read(reader, opened.client.rest);
    const { stream } = opened.client.opened;
    stream
      .on('data', (piece: Buffer) => {
        if (this.#error !== undefined) return;
        this.#read(reader, piece);
        if (this.#error !== undefined) stream.destroy();
        this.#changes.notify();
      })
      .once('close', () => this.#changes.notify());
  }

  #read(reader: WebSocketReader, piece: Buffer): void {
    const rest = MAX_RECEIVED - this.#received.length;
    this.#received += piece.toString('latin1', 0, rest);
    if (piece.length > rest) {
      this.#error = `more than ${MAX_RECEIVED} bytes`;
      return;
    }
    try {
      for (const frame of reader.read(piece)) this.frames.push(frame);
    } catch (error) {
      this.#error = String(error);
    }
  }

  send(frames: readonly Frame[]): void {
    const bytes = Buffer.concat(frames.map((each) => encodeFrame(frameOf(each), MASK)));
    this.#sent += bytes.toString('latin1');
    this.opened.client.write(bytes);
  }

  /** Waits until so many frames have arrived, or the connection ends. */
  async received(count: number): Promise<void> {
    const isOver = (): boolean =>
      this.frames.length >= count || this.#error !== undefined || this.opened.client.isEnded;
    await this.#changes.until(isOver, this.#session.time);
  }

  /** Judges whether the received frames are the expected ones. */
  judge(expected: readonly Frame[]): Verdict {
    const [wanted, found] = [expected.map(frameOf), this.frames];
    const isSame =
      wanted.length === found.length &&
      wanted.every((frame, at) => encodeFrame(frame).equals(bytesOf(found[at])));
    return isSame ? pass() : fail(shown(wanted), this.#error ?? shown(found), ...this.evidence());
  }

  evidence(): Transfer[] {
    const { transfer } = this.opened;
    const frames: Transfer = {
      ...transfer,
      sent: this.#sent,
      received: this.#received,
      response: undefined,
      ending: this.#ending,
      isReusable: false,
    };
    return [transfer, this.#session.record(frames)];
  }

  get #ending(): Ending {
    const { isReset, isEnded } = this.opened.client;
    if (this.#error !== undefined) return 'malformed';
    if (isReset) return 'reset';
    return isEnded ? 'closed' : 'timeout';
  }
}

const bytesOf = (frame: WebSocketFrame | undefined): Buffer =>
  frame ? encodeFrame(frame) : Buffer.alloc(0);

function shown(frames: readonly WebSocketFrame[]): string {
  const texts = frames.slice(0, MAX_FRAMES).map(({ opcode, isFinal, content }) => {
    const text = content.toString('latin1', 0, MAX_SHOWN);
    const rest = content.length > MAX_SHOWN ? `… (${content.length} bytes)` : '';
    return `opcode ${opcode}${isFinal ? '' : ' without FIN'}: ${text}${rest}`;
  });
  if (frames.length > MAX_FRAMES) texts.push(`… (${frames.length} frames)`);
  return texts.join('; ') || 'no frames';
}

/** A check on a WebSocket whose messages the origin echoes. */
function echoCheck({
  judge,
  target = ECHO,
  ...rule
}: FamilyRule & {
  readonly judge: (client: EchoClient, session: Session) => Promise<Verdict>;
  readonly target?: string;
}): TopicCheck {
  return {
    needs: ['gateway', 'journal', 'http1-origin'],
    after: ['websocket/handshake'],
    risk: 'data-loss',
    ...rule,
    async run(session) {
      const opened = await upgraded(session, target);
      if (!opened) return NOT_FORWARDED;
      const { transfer, entry } = opened;
      // An older wirebin, or another dialect.
      if (entry.response?.status === 404) return notApplicable('the origin has no /websocket/echo');
      if (transfer.response?.status !== 101) return fail('101', outcomeOf(transfer), transfer);
      return judge(new EchoClient(session, opened), session);
    },
  };
}

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
    rule: 'Fragments of a message are forwarded as they are, and so is a ping between them.',
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
