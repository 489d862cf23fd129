import { BlockDecoder } from './block-decoder.ts';
import { ConnectionCredit } from './connection-credit.ts';
import type { ConnectionEvents, ConnectionParts } from './connection-events.ts';
import {
  DEFAULT_WINDOW,
  Flag,
  FrameType,
  goaway,
  SettingId,
  type FrameHeader,
  type Role,
} from './frame.ts';
import type { Setting } from './frame-payload.ts';
import { FrameReader, type FrameLimits, type FrameSink } from './frame-reader.ts';
import { settingsViolation } from './frame-violations.ts';
import { SectionReader } from './message-section.ts';
import { ErrorCode, errorCode, frameTypeName } from './names.ts';
import type { HeaderBlock } from './header-block.ts';
import {
  changeViolation,
  invalidStreamId,
  onClosedStream,
  onIdleStream,
  windowExceeded,
  windowTooLarge,
} from './state-violations.ts';
import { Http2Stream } from './stream.ts';
import { Refusal, stateAfter, StreamEvent, StreamState } from './stream-state.ts';
import { connectionError, streamError, type Violation } from './violation.ts';

export interface IncomingOptions {
  /** Maximum size of the fields that are kept of a section, counted as RFC 9113 6.5.2 says. */
  readonly maxListSize: number;
  readonly limits: FrameLimits;
  /**
   * Whether credit of the connection is returned as soon as content arrives: content of one stream that is not consumed
   * then does not stop the others, and only their own windows bound the memory. Default: when it is consumed.
   */
  readonly creditsOnArrival?: boolean;
}

/** What a connection receives: changes its state, answers what has to be answered, and makes events of it. */
export class Incoming<Owner> implements FrameSink {
  readonly #parts: ConnectionParts<Owner>;
  readonly #events: ConnectionEvents<Owner>;
  readonly #peer: Role;
  readonly #decoder: BlockDecoder;
  readonly #sections: SectionReader;
  readonly reader: FrameReader;
  readonly credit: ConnectionCredit;
  readonly #creditsOnArrival: boolean;
  /** The stream of the DATA frame that is read; undefined if its content is not wanted. */
  #reading: Http2Stream<Owner> | undefined;
  /** Whether the peer has sent no SETTINGS yet. */
  #awaitsSettings = true;
  /** SETTINGS that the peer has not acknowledged, oldest first. */
  readonly #unacknowledged: (readonly Setting[])[] = [];

  constructor(parts: ConnectionParts<Owner>, options: IncomingOptions) {
    const { maxListSize, limits, creditsOnArrival = false } = options;
    this.#parts = parts;
    this.#creditsOnArrival = creditsOnArrival;
    this.credit = new ConnectionCredit(parts.output);
    this.#events = parts.events;
    this.#peer = parts.role === 'client' ? 'server' : 'client';
    this.#decoder = new BlockDecoder(maxListSize);
    this.#sections = new SectionReader(this.#peer);
    this.reader = new FrameReader(this, this.#peer === 'client', limits);
  }

  /** Enlarges the window of the connection, after the first SETTINGS. @param window in bytes */
  open(window: number): void {
    const increment = window - DEFAULT_WINDOW;
    if (increment <= 0) return;
    this.credit.resize(increment);
    this.#parts.output.integerFrame(FrameType.windowUpdate, 0, increment);
  }

  /**
   * Notes SETTINGS that were sent. What they allow applies at once; what they forbid, once they are acknowledged. A
   * smaller number of streams applies at once too: those above are refused, and the peer may send them again.
   */
  announce(settings: readonly Setting[]): void {
    this.#unacknowledged.push(settings);
    const { local } = this.#parts;
    for (const setting of settings) {
      const isAtOnce =
        (setting.id === SettingId.initialWindowSize && setting.value > local.initialWindowSize) ||
        (setting.id === SettingId.maxFrameSize && setting.value > local.maxFrameSize) ||
        setting.id === SettingId.maxConcurrentStreams ||
        (setting.id === SettingId.enableConnectProtocol && setting.value === 1);
      if (isAtOnce) this.#applyOwn(setting);
    }
  }

  /** Returns credit for content that was consumed. */
  returnCredit(stream: Http2Stream<Owner>, bytes: number): void {
    // Its credit was returned when it was reset.
    if (stream.isReset) return;
    this.#updateWindow(stream, stream.receiving.consume(bytes));
    if (!this.#creditsOnArrival) this.credit.giveBack(bytes);
  }

  #updateWindow({ id, state }: Http2Stream<Owner>, increment: number): void {
    if (increment > 0 && (state === StreamState.open || state === StreamState.halfClosedLocal)) {
      this.#parts.output.integerFrame(FrameType.windowUpdate, id, increment);
    }
  }

  /** Resets a stream, and forgets what it has to send. @returns false if it is closed */
  reset(stream: Http2Stream<Owner>, code: number): boolean {
    if (!stream.on(StreamEvent.sendReset)) return false;
    this.#parts.output.integerFrame(FrameType.rstStream, stream.id, code);
    this.#forget(stream, 'here');
    return true;
  }

  /** The last stream of the peer that is served: a further GOAWAY must not name a higher one (RFC 9113 6.8). */
  get lastServed(): number {
    const { streams, refusedAbove } = this.#parts;
    return Math.min(streams.lastPeer, refusedAbove);
  }

  /** Ends the connection with GOAWAY (RFC 9113 5.4.1). */
  fail(violation: Violation): void {
    const { output } = this.#parts;
    this.reader.stop();
    this.#reading = undefined;
    const { code, section, reason } = violation;
    const debugData = Buffer.from(`${section}: ${reason}`, 'latin1');
    output.bytes(goaway(this.lastServed, errorCode(code), debugData));
    this.#events.onConnectionError(violation);
  }

  onFrame(header: FrameHeader): void {
    this.#events.onFrame?.(header);
  }

  onHeaders(id: number, bytes: Buffer, isEnd: boolean): void {
    const block = this.#decoder.decode(bytes);
    if (block.error) {
      const { section, reason } = block.error;
      this.fail(connectionError(section, reason, 'COMPRESSION_ERROR'));
      return;
    }
    const stream = this.#parts.streams.get(id) ?? this.#begin(id, block);
    if (!stream) return;
    if (!stream.on(StreamEvent.receiveHeaders)) {
      this.#refuse(stream, FrameType.headers);
      return;
    }
    const kind = this.#sections.kindOf(block, stream.hasHead, isEnd);
    if (typeof kind !== 'string') {
      this.#failStream(stream, kind);
      return;
    }
    if (kind === 'head') {
      stream.hasHead = true;
      if (isEnd) this.#end(stream);
    }
    this.#events.onHeaders(stream, block, kind, isEnd);
    if (!isEnd || stream.isReset) return;
    // Not before the event, which may reset the stream because of them (RFC 9113 8.1.1).
    if (kind === 'trailers') this.#end(stream);
    this.#events.onEnd(stream);
  }

  onData(id: number, size: number, length: number): void {
    this.#reading = undefined;
    const left = this.credit.receive(size);
    if (left < 0) {
      this.fail(windowExceeded('connection', left));
      return;
    }
    const stream = this.#parts.streams.get(id);
    if (this.#creditsOnArrival || !stream) this.credit.giveBack(size);
    if (!stream) {
      this.#onMissing(StreamEvent.receiveData, FrameType.data, id);
      return;
    }
    const streamLeft = stream.receiving.receive(size);
    if (!stream.on(StreamEvent.receiveData)) this.#refuse(stream, FrameType.data);
    else if (streamLeft < 0) this.#failStream(stream, windowExceeded('stream', streamLeft));
    else if (!stream.hasHead) {
      this.#failStream(stream, streamError('RFC 9113 8.1', 'DATA before the header section'));
    } else {
      this.#reading = stream;
      if (size > length) this.returnCredit(stream, size - length);
    }
  }

  onContent(bytes: Buffer, start: number, end: number): void {
    const stream = this.#reading;
    if (stream && !stream.isReset) this.#events.onContent(stream, bytes, start, end);
  }

  onDataEnd(isEnd: boolean): void {
    const stream = this.#reading;
    this.#reading = undefined;
    if (!isEnd || !stream || stream.isReset) return;
    if (this.#events.mayEnd?.(stream) === false) return;
    this.#end(stream);
    this.#events.onEnd(stream);
  }

  onReset(id: number, code: number): void {
    const stream = this.#parts.streams.get(id);
    if (!stream) {
      this.#onMissing(StreamEvent.receiveReset, FrameType.rstStream, id);
      if (!this.#parts.streams.isIdle(id)) this.#events.onLateReset?.(id, code);
      return;
    }
    stream.on(StreamEvent.receiveReset);
    this.#forget(stream, 'peer');
    this.#events.onReset(stream, code, undefined);
  }

  onSettings(settings: readonly Setting[]): void {
    const { peer, output } = this.#parts;
    const violation =
      settingsViolation(settings, this.#peer) ??
      changeViolation(settings, peer, this.#awaitsSettings);
    if (violation) {
      this.fail(violation);
      return;
    }
    this.#awaitsSettings = false;
    if (!this.#applyPeers(settings)) return;
    output.frame(FrameType.settings, Flag.ack, 0);
    this.#events.onSettings?.(settings);
  }

  onSettingsAck(): void {
    const settings = this.#unacknowledged.shift();
    if (!settings) return;
    for (const setting of settings) this.#applyOwn(setting);
    this.#events.onSettingsAck?.(settings);
  }

  onPing(payload: Buffer): void {
    this.#parts.output.frame(FrameType.ping, Flag.ack, 0, payload);
  }

  onPong(payload: Buffer): void {
    this.#events.onPong?.(payload);
  }

  onGoaway(lastStream: number, code: number): void {
    const { streams, role } = this.#parts;
    this.#parts.isFinishing = true;
    this.#events.onGoaway(lastStream, code);
    if (role === 'server') return;
    for (const stream of streams.all()) {
      if (stream.id <= lastStream) continue;
      stream.on(StreamEvent.receiveReset);
      this.#forget(stream, 'peer');
      this.#events.onReset(stream, ErrorCode.refusedStream, undefined);
    }
  }

  onWindowUpdate(id: number, increment: number): void {
    const { streams, outgoing } = this.#parts;
    if (id === 0) {
      if (increment === 0) this.fail(connectionError('RFC 9113 6.9', 'a window increment of 0'));
      else if (!outgoing.grow(increment)) this.fail(windowTooLarge('connection', outgoing.window));
      return;
    }
    const stream = streams.get(id);
    if (!stream) this.#onMissing(StreamEvent.receiveWindowUpdate, FrameType.windowUpdate, id);
    else if (increment === 0) {
      this.#failStream(stream, streamError('RFC 9113 6.9', 'a window increment of 0'));
    } else if (!outgoing.adjustWindow(stream, increment)) {
      this.#failStream(stream, windowTooLarge('stream', stream.window));
    }
  }

  onViolation(violation: Violation, id: number): void {
    if (violation.scope === 'connection') {
      this.fail(violation);
      return;
    }
    const stream = this.#parts.streams.get(id);
    if (stream) this.#failStream(stream, violation);
    // RST_STREAM cannot be sent for an idle stream (RFC 9113 6.4).
    else if (this.#parts.streams.isIdle(id)) this.fail({ ...violation, scope: 'connection' });
  }

  /** Begins a stream of the peer. @returns undefined if it does not become one */
  #begin(id: number, block: HeaderBlock): Http2Stream<Owner> | undefined {
    const { streams, local, peer, output, refusedAbove } = this.#parts;
    if (!streams.isOfPeer(id) || id <= streams.lastPeer) {
      if (this.#peer === 'client' && id % 2 === 0) this.fail(invalidStreamId(id, streams.lastPeer));
      else this.#onMissing(StreamEvent.receiveHeaders, FrameType.headers, id);
      return undefined;
    }
    // After GOAWAY, frames on higher streams are ignored (RFC 9113 6.8).
    if (id > refusedAbove) return undefined;
    streams.lastPeer = id;
    if (streams.size >= local.maxConcurrentStreams) {
      output.integerFrame(FrameType.rstStream, id, ErrorCode.refusedStream);
      streams.noteReset(id, 'here');
      this.#events.onRefused?.(id, block);
      return undefined;
    }
    const stream = new Http2Stream<Owner>(
      id,
      undefined,
      peer.initialWindowSize,
      local.initialWindowSize,
    );
    streams.add(stream);
    return stream;
  }

  /** Handles a frame on a stream that is idle or closed. */
  #onMissing(event: StreamEvent, type: number, id: number): void {
    const { streams, refusedAbove } = this.#parts;
    const isIdle = streams.isIdle(id);
    switch (stateAfter(isIdle ? StreamState.idle : StreamState.closed, event)) {
      case Refusal.ignored:
        return;
      case Refusal.closed:
        this.#onClosed(type, id);
        return;
      default:
        // After GOAWAY, frames on higher streams are ignored (RFC 9113 6.8).
        if (id <= refusedAbove || !streams.isOfPeer(id)) this.fail(onIdleStream(type, id));
    }
  }

  #onClosed(type: number, id: number): void {
    const by = this.#parts.streams.resetBy(id);
    // The peer may have sent it before it knew of the reset.
    if (by === 'here') return;
    if (by === undefined) this.fail(onClosedStream({ id, state: 'closed' }, frameTypeName(type)));
    else this.#parts.output.integerFrame(FrameType.rstStream, id, ErrorCode.streamClosed);
  }

  /** Handles a frame that the state of its stream does not allow: the peer has ended it. */
  #refuse(stream: Http2Stream<Owner>, type: number): void {
    const { reason, section, code } = onClosedStream(
      { id: stream.id, state: 'half-closed (remote)' },
      frameTypeName(type),
    );
    this.#failStream(stream, streamError(section, reason, code));
  }

  #failStream(stream: Http2Stream<Owner>, violation: Violation): void {
    const code = errorCode(violation.code);
    if (this.reset(stream, code)) this.#events.onReset(stream, code, violation);
  }

  #end(stream: Http2Stream<Owner>): void {
    stream.on(StreamEvent.receiveEnd);
    if (stream.state === StreamState.closed) this.#parts.streams.remove(stream);
  }

  #forget(stream: Http2Stream<Owner>, by: 'here' | 'peer'): void {
    const { streams, outgoing } = this.#parts;
    stream.isReset = true;
    streams.remove(stream);
    streams.noteReset(stream.id, by);
    outgoing.delete(stream);
    if (!this.#creditsOnArrival) this.credit.giveBack(stream.receiving.unconsumed);
  }

  /** Applies settings of the peer. @returns false if a window has become too large (RFC 9113 6.9.2) */
  #applyPeers(settings: readonly Setting[]): boolean {
    const { peer, encoder, streams, outgoing } = this.#parts;
    const before = peer.initialWindowSize;
    for (const setting of settings) {
      peer.apply(setting);
      if (setting.id === SettingId.headerTableSize) encoder.setTableSizeLimit(setting.value);
    }
    const change = peer.initialWindowSize - before;
    if (change === 0) return true;
    for (const stream of streams.all()) {
      if (outgoing.adjustWindow(stream, change)) continue;
      const violation = windowTooLarge('stream', stream.window);
      this.fail({ ...violation, scope: 'connection', section: 'RFC 9113 6.9.2' });
      return false;
    }
    return true;
  }

  #applyOwn(setting: Setting): void {
    const { local, streams } = this.#parts;
    const before = local.initialWindowSize;
    local.apply(setting);
    this.reader.maxFrameSize = local.maxFrameSize;
    if (setting.id === SettingId.headerTableSize) this.#decoder.setTableSizeLimit(setting.value);
    const change = local.initialWindowSize - before;
    if (change === 0) return;
    for (const stream of streams.all()) {
      this.#updateWindow(stream, stream.receiving.resize(change));
    }
  }
}
