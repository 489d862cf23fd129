import { Flag, FrameType, MAX_WINDOW } from '../../wire/http2/frame.ts';
import { errorCodeName } from '../../wire/http2/names.ts';
import { ClientOpening } from '../../net/fingerprints.ts';
import type { ProtocolReader, Sender } from '../protocol-reader.ts';
import { ClientErrors } from './client-errors.ts';
import { Goaways } from './goaways.ts';
import type { EndedBlock, ErrorFrame, Frame } from './frames.ts';
import type { MessageRules } from '../../wire/http2/message-rules.ts';
import {
  changeViolation,
  invalidStreamId,
  onClosedStream,
  onIdleStream,
  tooManyStreams,
  windowExceeded,
  windowTooLarge,
} from '../../wire/http2/state-violations.ts';
import { Http2Direction } from './direction.ts';
import { StreamStore } from './stream-store.ts';
import { Stream, type SeenFrame, type StreamFacts, type Windows } from './stream.ts';
import { RequestValidator, type SectionVerdict } from '../../wire/http2/request-validator.ts';
import type { Setting } from '../../wire/http2/frame-payload.ts';
import { connectionError, type Violation } from '../../wire/http2/violation.ts';

export interface Http2ReaderOptions {
  /** Maximum size of the fields that are kept of a header section, counted by RFC 9113 6.5.2. */
  readonly maxListSize: number;
  /** Rules of the nghttp2 that runs. */
  readonly rules: MessageRules;
  /** Node's option `maxHeaderListPairs`. */
  readonly maxFields: number;
  /** Estimated bytes that all kept frames may take now. */
  readonly maxKept: () => number;
  /** Called with each complete frame, even if it is not kept. */
  readonly onFrame: (seen: SeenFrame) => void;
  /** Called with each stream that the server resets without having received a request or sent a response on it. */
  readonly onRefused: (stream: StreamFacts) => void;
}

/** Number of CONTINUATION frames of a field block that nghttp2 accepts. */
const MAX_CONTINUATIONS = 8;
/** Highest SETTINGS_MAX_HEADER_LIST_SIZE that Node supports. */
const NODE_MAX_LIST_SIZE = 16_777_215;

const other = (from: Sender): Sender => (from === 'client' ? 'server' : 'client');

/**
 * Reads both directions of an HTTP/2 connection between a client and Node's server, independently of Node. Bytes of the
 * client must be read here before Node reads them, and bytes of the server in the order in which they are sent. Never
 * throws; memory is bounded.
 *
 * Three words for what is wrong with a request: a _violation_ is what RFC 9113 forbids, in a single frame
 * (`frame-violations.ts`) or because of earlier frames (`state-violations.ts`). _Refusal reasons_ of a stream are the
 * violations and field faults for which nghttp2 is expected to refuse the request. A stream is _rejected_ if the server
 * did reset it, as its frames show.
 */
export class Http2Reader implements ProtocolReader {
  /** The parts of the client's fingerprint. */
  readonly opening = new ClientOpening();
  readonly #options: Http2ReaderOptions;
  readonly #directions: Readonly<Record<Sender, Http2Direction>>;
  /** The connection as stream 0, which also keeps frames of unknown streams. */
  readonly #connection = new Stream(0, { client: 0, server: 0 });
  readonly #streams: Readonly<StreamStore>;
  readonly #goaways = new Goaways();
  #lastStream = 0;
  #mostOpen = 0;
  /** Number of streams opened above the announced SETTINGS_MAX_CONCURRENT_STREAMS. */
  #aboveLimit = 0;
  /** Number of streams that the server reset instead of serving a request. */
  #rejected = 0;
  /** What of them ended the connection is in `#goaways`: nghttp2 tolerates some, such as a stream id below the last one. */
  readonly #errors = new ClientErrors();

  constructor(options: Http2ReaderOptions) {
    this.#options = options;
    this.#streams = new StreamStore(options.maxKept);
    const { maxListSize } = options;
    const onFrame = (frame: Frame): void => this.#onFrame(frame);
    this.#directions = {
      client: new Http2Direction('client', maxListSize, onFrame),
      server: new Http2Direction('server', maxListSize, onFrame),
    };
  }

  received(bytes: Buffer, time: number): void {
    this.#directions.client.reader.read(bytes, time);
  }

  sent(bytes: Buffer, time: number): void {
    this.#directions.server.reader.read(bytes, time);
  }

  /** Estimated memory of the kept frames and the readers, in bytes. */
  get bytesKept(): number {
    const { client, server } = this.#directions;
    return this.#streams.kept + client.bytesKept + server.bytesKept;
  }

  /** Call when Node has made a request of a stream. A stream that is reset before that counts as rejected. */
  delivered(id: number): void {
    const stream = this.#streams.get(id);
    if (stream) stream.delivered = true;
  }

  /** @param id 0 for the connection */
  stream(id: number): StreamFacts | undefined {
    return id === 0 ? this.#connection : this.#streams.get(id);
  }

  /** The streams whose frames are kept, in the order in which they were opened. */
  streams(): Iterable<StreamFacts> {
    return this.#streams.all();
  }

  /**
   * The client's frame that probably caused the server to end the connection. Call this only after that.
   *
   * @param reason of the violation, if it is known
   */
  errorFrame(reason?: string): ErrorFrame | undefined {
    return this.#errors.frameOf(reason) ?? this.#directions.client.reader.incomplete;
  }

  summary() {
    return {
      ...this.#directions,
      streams: this.#streams.count,
      openStreams: this.#streams.open,
      mostOpenStreams: this.#mostOpen,
      aboveLimit: this.#aboveLimit,
      rejected: this.#rejected,
      streamsLeftOut: this.#streams.streamsLeftOut,
      framesLeftOut: this.#streams.framesLeftOut,
      connectionError: this.#errors.first?.violation,
      goaway: this.#goaways.kept,
      goawayLeftOut: this.#goaways.leftOut,
    };
  }

  #onFrame(frame: Frame): void {
    const { from, type } = frame;
    const direction = this.#directions[from];
    direction.frames.set(type, (direction.frames.get(type) ?? 0) + 1);
    if (from === 'client') this.opening.add(frame);
    const violations: Violation[] = [...frame.violations];
    const stream = this.#streamOf(frame, violations);
    const verdict = this.#apply(frame, stream, violations);
    const windows = this.#windowsAfter(frame, stream);
    if (from === 'client') this.#noteErrors(stream, frame, violations);
    const isSame = violations.length === frame.violations.length;
    const seen = { frame, windows, verdict, violations: isSame ? frame.violations : violations };
    // With the connection, for streams that were never opened (PRIORITY) or are no longer kept.
    this.#streams.keep(seen, stream ?? this.#connection);
    this.#options.onFrame(seen);
  }

  /** The stream of a frame. HEADERS opens it if it is new. */
  #streamOf(frame: Frame, violations: Violation[]): Stream | undefined {
    const { from, stream: id, type } = frame;
    if (id === 0) return undefined;
    const known = this.#streams.get(id);
    if (known) return known;
    const isNew = id % 2 === 1 && id > this.#lastStream;
    if (from === 'client' && type === FrameType.headers) {
      if (isNew) return this.#openStream(frame);
      violations.push(invalidStreamId(id, this.#lastStream));
    } else if (isNew && type !== FrameType.priority && frame.payload.kind !== 'bytes') {
      // PRIORITY may precede HEADERS (RFC 9113 5.1), and unknown frame types are ignored (5.5).
      violations.push(onIdleStream(type, id));
    }
    return undefined;
  }

  #openStream(frame: Frame): Stream {
    const { stream: id } = frame;
    const { client, server } = this.#directions;
    const { maxListSize, connectProtocol } = server.settings.effective;
    const { rules, maxFields } = this.#options;
    const validator = new RequestValidator({
      rules,
      connectProtocol,
      maxListSize: Math.min(maxListSize, NODE_MAX_LIST_SIZE),
      maxFields,
    });
    const windows = {
      client: server.settings.effective.initialWindow,
      server: client.settings.effective.initialWindow,
    };
    const stream = new Stream(id, windows, validator);
    this.#streams.add(stream);
    this.#lastStream = id;
    const { open } = this.#streams;
    this.#mostOpen = Math.max(this.#mostOpen, open);
    if (open > server.settings.maxStreams) {
      stream.aboveLimit = true;
      this.#aboveLimit++;
      const violation = tooManyStreams(open, server.settings);
      stream.addRefusalReason(violation);
      this.#errors.note(violation, frame);
    }
    return stream;
  }

  #apply(
    frame: Frame,
    stream: Stream | undefined,
    violations: Violation[],
  ): SectionVerdict | undefined {
    const { payload } = frame;
    switch (payload.kind) {
      case 'headers':
      case 'continuation':
        return frame.ended && this.#endBlock(frame, frame.ended, stream, violations);
      case 'data':
        this.#onData(frame, payload.content, stream, violations);
        break;
      case 'settings':
        if (payload.ack) this.#onAcknowledgement(frame, violations);
        else this.#onSettings(frame, payload.settings, violations);
        break;
      case 'window-update':
        this.#onWindowUpdate(frame, payload.increment, stream, violations);
        break;
      case 'rst-stream':
        this.#onReset(frame, payload.code, stream);
        break;
      case 'goaway':
        this.#onGoaway(frame, payload.lastStream, payload.code, payload.debugData);
        break;
      case 'push-promise':
      case 'priority':
      case 'priority-update':
      case 'ping':
      case 'bytes':
    }
    return undefined;
  }

  /** Validates a complete header or trailer section. */
  #endBlock(
    { from }: Frame,
    { block, opener, continuations }: EndedBlock,
    stream: Stream | undefined,
    violations: Violation[],
  ): SectionVerdict | undefined {
    if (!stream || opener.type !== FrameType.headers) return undefined;
    const ends = (opener.flags & Flag.endStream) !== 0;
    if (from === 'client' && continuations > MAX_CONTINUATIONS) {
      const reason = `${continuations} CONTINUATION frames, above nghttp2's limit of ${MAX_CONTINUATIONS}`;
      violations.push(connectionError('RFC 9113 10.5.1', reason, 'ENHANCE_YOUR_CALM'));
    }
    if (!stream.maySend(from)) {
      if (stream.hasEnded(from)) violations.push(onClosedStream(stream, 'HEADERS'));
      return undefined;
    }
    let verdict: SectionVerdict | undefined;
    if (from === 'server') stream.responded = true;
    else if (block.error === undefined) {
      verdict = stream.validator?.section(block, stream.hasRequest, ends);
      for (const reason of verdict?.refusalReasons ?? []) stream.addRefusalReason(reason);
      stream.hasRequest = true;
    }
    if (ends) this.#endStream(stream, from);
    return verdict;
  }

  #onData(
    frame: Frame,
    content: number,
    stream: Stream | undefined,
    violations: Violation[],
  ): void {
    const { from, flags, length } = frame;
    const direction = this.#directions[from];
    // Padding counts too (RFC 9113 6.1), even on closed streams (6.9).
    direction.window -= length;
    direction.lowestWindow = Math.min(direction.lowestWindow, direction.window);
    if (direction.window < 0) violations.push(windowExceeded('connection', direction.window));
    if (!stream) return;
    if (!stream.maySend(from)) {
      // Only after END_STREAM: the sender may not have received a reset by the other side yet.
      if (stream.hasEnded(from)) violations.push(onClosedStream(stream, 'DATA'));
      return;
    }
    stream.windows[from] -= length;
    if (stream.windows[from] < 0) violations.push(windowExceeded('stream', stream.windows[from]));
    const ends = (flags & Flag.endStream) !== 0;
    if (from === 'client') {
      const reason = stream.validator?.data(content, ends);
      if (reason) stream.addRefusalReason(reason);
    }
    if (ends) this.#endStream(stream, from);
  }

  #onSettings(
    { from, endedAt }: Frame,
    announced: readonly Setting[],
    violations: Violation[],
  ): void {
    const { settings } = this.#directions[from];
    const change = changeViolation(announced, settings.fixed, settings.counts.frames === 0);
    if (change) violations.push(change);
    settings.announce(announced, endedAt);
  }

  /** Applies settings of the other side to what `from` sends, because `from` has acknowledged them (RFC 9113 6.5.3). */
  #onAcknowledgement({ from, endedAt }: Frame, violations: Violation[]): void {
    const receiver = this.#directions[other(from)];
    const sender = this.#directions[from];
    const before = receiver.settings.effective.initialWindow;
    const tableSizes = receiver.settings.acknowledge(endedAt);
    if (!tableSizes) {
      violations.push(connectionError('RFC 9113 6.5.3', 'an acknowledgement without SETTINGS'));
      return;
    }
    for (const size of tableSizes) sender.hpack.setTableSizeLimit(size);
    const { initialWindow, maxFrameSize } = receiver.settings.effective;
    sender.reader.maxFrameSize = maxFrameSize;
    if (initialWindow === before) return;
    for (const stream of this.#streams.all()) stream.windows[from] += initialWindow - before;
  }

  #onWindowUpdate(
    { from, stream: id }: Frame,
    increment: number,
    stream: Stream | undefined,
    violations: Violation[],
  ): void {
    const sender = other(from);
    if (id === 0) {
      const direction = this.#directions[sender];
      direction.window += increment;
      if (direction.window > MAX_WINDOW) {
        violations.push(windowTooLarge('connection', direction.window));
      }
    } else if (stream) {
      stream.windows[sender] += increment;
      if (stream.windows[sender] > MAX_WINDOW) {
        violations.push(windowTooLarge('stream', stream.windows[sender]));
      }
    }
  }

  #windowsAfter({ from, payload }: Frame, stream: Stream | undefined): Windows | undefined {
    if (payload.kind !== 'data' && payload.kind !== 'window-update') return undefined;
    const sender = payload.kind === 'data' ? from : other(from);
    return { connection: this.#directions[sender].window, stream: stream?.windows[sender] };
  }

  #onGoaway(frame: Frame, lastStream: number, code: number, debugData: string): void {
    const { from, endedAt } = frame;
    this.#goaways.add(from, endedAt, lastStream, code, debugData);
    if (from === 'client') return;
    this.#errors.onGoaway(errorCodeName(code), this.#streams);
    for (const stream of this.#streams.all()) {
      // Without an error code, only the streams end that the server did not process.
      const ends = stream.id > lastStream || (code !== 0 && !stream.delivered);
      if (ends && stream.state !== 'closed') this.#reset(stream, frame, code, 'GOAWAY');
    }
  }

  #onReset(frame: Frame, code: number, stream: Stream | undefined): void {
    if (frame.from === 'server') this.#errors.onReset(frame.stream, errorCodeName(code), stream);
    if (stream) this.#reset(stream, frame, code, 'RST_STREAM');
  }

  #reset(stream: Stream, { from }: Frame, code: number, by: 'RST_STREAM' | 'GOAWAY'): void {
    if (stream.state === 'closed') {
      // nghttp2 resets a stream that it refuses even if both sides have sent END_STREAM.
      if (stream.reset !== undefined || from === 'client') return;
    } else this.#closeStream(stream);
    stream.reset = { by: from, code, frame: by };
    const isUnanswered = !stream.responded && !stream.delivered;
    if (from === 'client' || (!isUnanswered && stream.refusalReasons.length === 0)) return;
    stream.rejected = true;
    this.#rejected++;
    if (isUnanswered && by === 'RST_STREAM') this.#options.onRefused(stream);
  }

  #endStream(stream: Stream, from: Sender): void {
    if (stream.end(from)) this.#closeStream(stream);
  }

  #closeStream(stream: Stream): void {
    stream.state = 'closed';
    this.#streams.closed(stream);
  }

  /** Notes violations of the client because of which the server refuses the request or ends the connection. */
  #noteErrors(stream: Stream | undefined, frame: Frame, violations: readonly Violation[]): void {
    for (const violation of violations) {
      this.#errors.note(violation, frame);
      // nghttp2 does not check the content of PRIORITY.
      if (violation.scope === 'connection' || frame.type !== FrameType.priority) {
        stream?.addRefusalReason(violation);
      }
    }
  }
}
