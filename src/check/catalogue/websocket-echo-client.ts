import { encodeFrame, Opcode, type WebSocketFrame } from '../../wire/websocket/frame.ts';
import { WebSocketReader } from '../../wire/websocket/frame-reader.ts';
import type { FamilyRule, TopicCheck } from '../check.ts';
import { fail, notApplicable, type Verdict } from '../verdict.ts';
import { Changes } from '../client/changes.ts';
import { outcomeOf, type Ending, type FieldLine, type Transfer } from '../message.ts';
import { problemType } from '../origin.ts';
import type { Session } from '../session.ts';
import { KiB } from './bounds.ts';
import { judgeFrames, shownFrames } from './websocket-frames.ts';
import {
  ECHO,
  frameOf,
  MASK,
  NOT_FORWARDED,
  upgraded,
  type Frame,
  type UpgradedClient,
} from './websocket.ts';

const LIMITS = {
  isMasked: false,
  maxFrame: 1024 * KiB,
  maxMessage: 1024 * KiB,
  // Without permessage-deflate, the checks send no frame that would be echoed as compressed.
  mayCompress: true,
};
/** Maximum bytes that a target may send back, in any frames: more than any check sends. */
const MAX_RECEIVED = 256 * KiB;

/** A WebSocket to the echo of the origin. */
export class EchoClient {
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
    // Frames can arrive together with 101.
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

  /** Waits until this number of frames has arrived, or a Close frame, which is the last, or the connection ends. */
  async received(count: number): Promise<void> {
    const isOver = (): boolean =>
      this.frames.length >= count ||
      this.frames.at(-1)?.opcode === Opcode.close ||
      this.#error !== undefined ||
      this.opened.client.isEnded;
    await this.#changes.until(isOver, this.#session.time);
  }

  /** Why the received bytes are not frames; undefined if they are. */
  get error(): string | undefined {
    return this.#error;
  }

  /** Judges whether the received frames carry the same as the expected ones. */
  judge(expected: readonly Frame[]): Verdict {
    const wanted = expected.map(frameOf);
    return this.#error === undefined
      ? judgeFrames(wanted, this.frames, ...this.evidence())
      : fail(shownFrames(wanted), this.#error, ...this.evidence());
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

/** A check over a WebSocket whose messages the origin echoes. */
export function echoCheck({
  judge,
  target = ECHO,
  offered = [],
  judgeUnavailable = () => notApplicable('the origin cannot send this response'),
  ...rule
}: FamilyRule & {
  readonly judge: (client: EchoClient, session: Session) => Promise<Verdict>;
  readonly target?: string;
  /** Fields of the handshake. */
  readonly offered?: readonly FieldLine[];
  /** Judges a handshake for which the origin lacks something. */
  readonly judgeUnavailable?: (opened: UpgradedClient) => Verdict;
}): TopicCheck {
  return {
    needs: ['gateway', 'journal', 'http1-origin'],
    after: ['websocket/handshake'],
    risk: 'data-loss',
    ...rule,
    async run(session) {
      const opened = await upgraded(session, target, offered);
      if (!opened) return NOT_FORWARDED;
      const { transfer, entry } = opened;
      // An older wirebin, or another dialect.
      if (entry.response?.status === 404) return notApplicable('the origin has no /websocket/echo');
      if (problemType(transfer.response) === '/problems/fault-unavailable')
        return judgeUnavailable(opened);
      if (transfer.response?.status !== 101) return fail('101', outcomeOf(transfer), transfer);
      return judge(new EchoClient(session, opened), session);
    },
  };
}
