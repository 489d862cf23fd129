import type { ServerHttp2Session } from 'node:http2';
import type { TcpConnection } from '../../net/tcp-connection.ts';
import { parseClientPreface, type PrefaceCapture } from '../../net/client-preface.ts';
import { FrameType } from '../../wire/http2/frame.ts';
import type { NodeControl } from './node-control.ts';

/** Consecutive streams that never became requests. Node reports neither the streams nor the reason. */
export class StreamsRejected extends Error {
  /** Id of the first stream. */
  readonly stream: number;
  readonly count: number;
  /** Whether the streams exceeded SETTINGS_MAX_CONCURRENT_STREAMS; undefined if it is not known. */
  readonly isAboveLimit: boolean | undefined;

  constructor(first: number, last: number, reason: string, isAboveLimit?: boolean) {
    const which = first === last ? `stream ${first}` : `streams ${first} to ${last}`;
    super(`${which} never became ${first === last ? 'a request' : 'requests'}: ${reason}`);
    this.stream = first;
    this.count = (last - first) / 2 + 1;
    this.isAboveLimit = isAboveLimit;
  }
}

const REFUSED = 'refused by nghttp2';
const INCOMPLETE = 'refused by nghttp2, or not complete';
const SKIPPED = 'refused by nghttp2, or skipped by the client';

/**
 * Tracks header sections that have begun. nghttp2 reports a stream when its section is complete and valid, but includes
 * it in `lastProcStreamID` as soon as the section begins. A stream that has begun and was not reported is incomplete or
 * was rejected. The acknowledgement of a PING shows that it was rejected, because a client can send it only after the
 * end of a section (RFC 9113 4.3). With --inspect, RST_STREAM shows it immediately.
 */
export class HeaderSections {
  readonly #session: ServerHttp2Session;
  readonly #connection: TcpConnection;
  readonly #preface: PrefaceCapture;
  readonly #control: Pick<NodeControl, 'ping'>;
  readonly #onRejected: (refused: StreamsRejected) => void;
  /** Id of the last stream whose header section has certainly ended. */
  #ended = 0;
  /** Id of the last stream whose header section has begun. */
  #begun = 0;
  /** When that section was noticed, from performance.now(). */
  #since = 0;
  /** Ids of streams for which RST_STREAM was sent in this tick. */
  readonly #reset = new Set<number>();
  #bytesRead = 0;

  constructor(
    session: ServerHttp2Session,
    connection: TcpConnection,
    preface: PrefaceCapture,
    control: Pick<NodeControl, 'ping'>,
    onRejected: (refused: StreamsRejected) => void,
  ) {
    this.#session = session;
    this.#connection = connection;
    this.#preface = preface;
    this.#control = control;
    this.#onRejected = onRejected;
    connection.inspector?.onStreamRefused((...refused) => this.#refused(...refused));
  }

  /** Call for each request, with the id of its stream. */
  ended(stream: number): void {
    this.#reset.delete(stream);
    const next = this.#ended === 0 ? this.#firstBegun(stream) : this.#ended + 2;
    this.#ended = Math.max(this.#ended, stream);
    // With --inspect, skipped streams are reported when they are refused, which may be later.
    if (stream <= next || this.#connection.inspector) return;
    this.#onRejected(new StreamsRejected(next, stream - 2, SKIPPED));
  }

  /**
   * Whether a header section takes longer than the limit. Call every second.
   *
   * @param now from performance.now()
   * @param limit in milliseconds
   */
  isLate(now: number, limit: number): boolean {
    const { bytesRead } = this.#connection.socket;
    // Without received bytes, no section can have begun.
    if (bytesRead !== this.#bytesRead) {
      this.#bytesRead = bytesRead;
      const stream = this.#lastBegun();
      if (stream > this.#ended && stream !== this.#begun) {
        this.#begun = stream;
        this.#since = now;
        void this.settle(limit);
      }
    }
    return this.#begun > this.#ended && now - this.#since >= limit;
  }

  /** Resolves when it is known whether begun sections were rejected. @param limit maximum wait in milliseconds */
  async settle(limit: number): Promise<void> {
    const stream = this.#lastBegun();
    if (stream <= this.#ended) return;
    const isAcknowledged = (await this.#control.ping(limit)) !== undefined;
    if (isAcknowledged) this.#reject(stream, REFUSED);
  }

  /** Call before the session is destroyed. */
  close(): void {
    this.#reject(this.#lastBegun(), INCOMPLETE);
  }

  /** The id of the client's first stream, which need not be 1, from the captured preface if that is complete. */
  #firstBegun(stream: number): number {
    if (stream === 1) return stream;
    const { frames } = parseClientPreface(this.#preface.frames);
    return frames.find(({ type }) => type === FrameType.headers)?.stream ?? stream;
  }

  #lastBegun(): number {
    return this.#session.state.lastProcStreamID ?? 0;
  }

  #reject(stream: number, reason: string): void {
    if (stream <= this.#ended) return;
    this.#ended = stream;
    this.#observeRejected(stream, reason);
  }

  #refused(stream: number, isAboveLimit: boolean): void {
    this.#ended = Math.max(this.#ended, stream);
    this.#reset.add(stream);
    // In the next tick, Node emits a valid request, even if RST_STREAM was sent before, such as for too much content.
    process.nextTick(() => {
      if (this.#reset.delete(stream)) this.#observeRejected(stream, REFUSED, isAboveLimit);
    });
  }

  #observeRejected(stream: number, reason: string, isAboveLimit?: boolean): void {
    const found = this.#connection.inspector?.refusalReason(stream);
    const all = found === undefined ? reason : `${REFUSED}: ${found}`;
    this.#onRejected(new StreamsRejected(stream, stream, all, isAboveLimit));
  }
}
