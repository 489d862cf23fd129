import { ByteReader } from '../byte-reader.ts';
import type { Role } from '../http2/frame.ts';
import type { Violation } from '../http2/violation.ts';
import { FrameReader, type FrameHandler, type PayloadUse } from './frame-reader.ts';
import { FrameType, frameTypeName } from './names.ts';
import { parseSettings, type Setting } from './settings.ts';
import {
  criticalStreamClosed,
  eventOf,
  frameViolation,
  isRefusal,
  phaseAfter,
  sectionOf,
  StreamPhase,
} from './stream-phase.ts';
import { connectionError } from './violation.ts';

/** Receives what the peer says on its control stream. */
export interface ControlSink {
  /** Called with the header of each frame, including unknown types, before its content. See `FrameHandler.onFrame`. */
  onFrame?(type: number | bigint, length: number): void;
  /** Called with the settings of the peer, once, before all other frames. */
  onSettings(settings: readonly Setting[]): void;
  /** Called with the id of a GOAWAY: a server's first request, or a client's first push, that is not processed (RFC 9114 5.2). */
  onGoaway(id: number | bigint): void;
  /** Called with the priority of a request (RFC 9218 7.2). Whether the stream limit allows its stream is not checked. */
  onPriorityUpdate?(stream: number, value: string): void;
  /** Called once if the stream breaks a rule. No other call follows. */
  onViolation(violation: Violation): void;
}

/** Maximum payload of SETTINGS and PRIORITY_UPDATE, in bytes. */
const MAX_PAYLOAD = 1024;
const MAX_VARINT = 8;

/** Reads the control stream of a peer (RFC 9114 6.2.1) after its stream type. Server push is not used in either direction. */
export class ControlReader implements FrameHandler {
  readonly #sink: ControlSink;
  readonly #from: Role;
  readonly #frames: FrameReader;
  #phase: StreamPhase = StreamPhase.settings;
  #type: number | bigint = 0;
  #lastGoaway: number | bigint = Infinity;
  #maxPushId: number | bigint = 0;

  /** @param from role of the peer */
  constructor(sink: ControlSink, from: Role) {
    this.#sink = sink;
    this.#from = from;
    this.#frames = new FrameReader(this);
  }

  read(bytes: Buffer): void {
    this.#frames.read(bytes);
  }

  /** Ends reading for good. */
  stop(): void {
    this.#frames.stop();
  }

  /** Call when the stream ends or is reset. */
  closed(): void {
    this.#fail(criticalStreamClosed('control'));
  }

  onFrame(type: number | bigint, length: number): PayloadUse | undefined {
    const phase = this.#phase;
    const next = phaseAfter(phase, eventOf(type, this.#from));
    if (isRefusal(next)) return this.#fail(frameViolation(next, phase, type));
    const isKnown = KNOWN.has(type);
    const wrong = isKnown ? lengthViolation(type, length) : undefined;
    if (wrong) return this.#fail(wrong);
    this.#phase = next;
    this.#type = type;
    this.#sink.onFrame?.(type, length);
    return isKnown ? 'whole' : 'ignored';
  }

  /** Never called: `onFrame` asks for no payload in pieces. */
  onPiece(): void {}

  onPayload(payload: Buffer): void {
    if (this.#type === FrameType.settings) {
      const settings = parseSettings(payload);
      if ('scope' in settings) this.#fail(settings);
      else this.#sink.onSettings(settings);
      return;
    }
    const reader = new ByteReader(payload);
    const id = reader.exactVarint();
    const hasValue = this.#type === FrameType.priorityUpdateRequest;
    if (reader.failed || !(hasValue || reader.atEnd)) {
      this.#fail(lengthError(this.#type, payload.length));
      return;
    }
    const wrong = this.#idViolation(id);
    if (wrong) {
      this.#fail(connectionError(wrong.section, wrong.reason, 'H3_ID_ERROR'));
      return;
    }
    if (this.#type === FrameType.goaway) this.#sink.onGoaway(id);
    else if (hasValue) {
      const value = payload.toString('latin1', reader.offset);
      this.#sink.onPriorityUpdate?.(Number(id), value);
    }
  }

  /** The rule that the id of a frame breaks. Keeps ids that limit later ones. */
  #idViolation(id: number | bigint): { section: string; reason: string } | undefined {
    const section = sectionOf(this.#type);
    const frame = `${frameTypeName(this.#type)} of ${id}`;
    switch (this.#type) {
      case FrameType.goaway:
        if (this.#from === 'server' && !isRequestStream(id)) {
          return { section, reason: `${frame}, which is no request stream` };
        }
        if (id > this.#lastGoaway) {
          return { section: 'RFC 9114 5.2', reason: `${frame} after ${this.#lastGoaway}` };
        }
        this.#lastGoaway = id;
        return undefined;
      case FrameType.maxPushId:
        if (id < this.#maxPushId) return { section, reason: `${frame} after ${this.#maxPushId}` };
        this.#maxPushId = id;
        return undefined;
      case FrameType.priorityUpdateRequest:
        if (isRequestStream(id)) return undefined;
        return { section, reason: `${frame}, which is no request stream` };
      default:
        return { section, reason: `${frame}, which was not promised` };
    }
  }

  #fail(violation: Violation): undefined {
    this.#frames.stop();
    this.#phase = StreamPhase.ended;
    this.#sink.onViolation(violation);
  }
}

/** The types whose payload is read. */
const KNOWN = new Set<number | bigint>([
  FrameType.settings,
  FrameType.goaway,
  FrameType.maxPushId,
  FrameType.cancelPush,
  FrameType.priorityUpdateRequest,
  FrameType.priorityUpdatePush,
]);

/** Whether an id is that of a bidirectional stream of the client (RFC 9000 2.1). */
const isRequestStream = (id: number | bigint): boolean =>
  typeof id === 'bigint' ? id % 4n === 0n : id % 4 === 0;

/** The violation of a payload that is too long for its type, or would be too much to keep. */
function lengthViolation(type: number | bigint, length: number): Violation | undefined {
  const isLong =
    type === FrameType.settings ||
    type === FrameType.priorityUpdateRequest ||
    type === FrameType.priorityUpdatePush;
  if (!isLong) {
    return length >= 1 && length <= MAX_VARINT ? undefined : lengthError(type, length);
  }
  if (length <= MAX_PAYLOAD) return undefined;
  const reason = `${frameTypeName(type)} of ${length} bytes, above the limit of ${MAX_PAYLOAD}`;
  return connectionError('RFC 9114 10.5', reason, 'H3_EXCESSIVE_LOAD');
}

function lengthError(type: number | bigint, length: number): Violation {
  const reason = `${frameTypeName(type)} with a payload of ${length} bytes`;
  return connectionError('RFC 9114 7.1', reason, 'H3_FRAME_ERROR');
}
