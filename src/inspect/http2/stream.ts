import type { DecodedField } from '../../wire/field-compression/field-section.ts';
import type { Frame } from './frames.ts';
import type { Sender } from '../protocol-reader.ts';
import type { RequestValidator, SectionVerdict } from '../../wire/http2/request-validator.ts';
import { leadsTo, type Violation } from '../../wire/http2/violation.ts';

/** Flow-control windows of the sender of DATA, after a frame. */
export interface Windows {
  readonly connection: number;
  /** undefined if the stream is not open. */
  readonly stream: number | undefined;
}

/** A frame, and what it means in its stream and connection. */
export interface SeenFrame {
  readonly frame: Frame;
  /** For DATA and WINDOW_UPDATE: the flow-control windows of the sender of DATA. */
  readonly windows: Windows | undefined;
  /** For the frame that ended a request's header or trailer section: whether the section is valid. */
  readonly verdict: SectionVerdict | undefined;
  /** Violations of the frame itself, and those because of the state of the connection or stream. */
  readonly violations: readonly Violation[];
}

/** Stream states of RFC 9113 5.1, as seen by the server. */
export type StreamState = 'open' | 'half-closed (remote)' | 'half-closed (local)' | 'closed';

/** How a stream ended if not by END_STREAM on both sides. */
export interface StreamReset {
  readonly by: Sender;
  /** Error code of RST_STREAM or GOAWAY. */
  readonly code: number;
  readonly frame: 'RST_STREAM' | 'GOAWAY';
}

/** A stream as it is shown. */
export type StreamFacts = Readonly<
  Omit<
    Stream,
    | 'validator'
    | 'kept'
    | 'ended'
    | 'hasRequest'
    | 'maySend'
    | 'hasEnded'
    | 'end'
    | 'addRefusalReason'
    | 'setScope'
  >
>;

/** The frames of the request's header section, as far as they are kept. */
export function requestSection({ frames }: StreamFacts): readonly Frame[] {
  const section: Frame[] = [];
  for (const { frame } of frames) {
    const { payload } = frame;
    if (frame.from !== 'client') continue;
    if (payload.kind !== 'headers' && payload.kind !== 'continuation') continue;
    section.push(frame);
    if (frame.ended) break;
  }
  return section;
}

/** The fields of a complete section; empty for an incomplete one. @param section its frames */
export function sectionFields(section: readonly Frame[]): readonly DecodedField[] {
  return section.at(-1)?.ended?.block.fields ?? [];
}

/** The fields of the request's header section; empty if it is incomplete, or its last frame is no longer kept. */
export function requestFields(stream: StreamFacts): readonly DecodedField[] {
  return sectionFields(requestSection(stream));
}

/** The state of a stream while its frames are read. Stream 0 is the connection. */
export class Stream {
  readonly id: number;
  readonly validator: Readonly<RequestValidator> | undefined;
  /** Flow-control windows: bytes that each sender may still send. */
  readonly windows: Record<Sender, number>;
  /** Frames of both directions, in the order in which they were complete. */
  readonly frames: SeenFrame[] = [];
  /** Why nghttp2 is expected to refuse the request; nghttp2 stops at the first reason. */
  readonly refusalReasons: Violation[] = [];
  refusalReasonsLeftOut = 0;
  state: StreamState = 'open';
  /** Number of frames that were not kept. */
  leftOut = 0;
  /** Estimated bytes of the kept frames. */
  kept = 0;
  /** Whether the stream was opened above the announced SETTINGS_MAX_CONCURRENT_STREAMS. */
  aboveLimit = false;
  reset: StreamReset | undefined;
  /** Whether Node made a request of the stream (`delivered()` was called). */
  delivered = false;
  /** Whether the server sent HEADERS on the stream. */
  responded = false;
  /**
   * Whether the server reset the stream instead of serving a request: without `delivered` and `responded`, or with
   * refusal reasons.
   */
  rejected = false;
  /** Whether each side has sent END_STREAM. */
  readonly ended: Record<Sender, boolean> = { client: false, server: false };
  /** Whether the request's header section is complete. */
  hasRequest = false;

  constructor(id: number, windows: Record<Sender, number>, validator?: Readonly<RequestValidator>) {
    this.id = id;
    this.windows = windows;
    this.validator = validator;
  }

  /** Bytes of DATA received from the client, without padding. */
  get received(): number {
    return this.validator?.received ?? 0;
  }

  get contentLength(): number | undefined {
    return this.validator?.contentLength;
  }

  /** Whether a frame of the sender is allowed (RFC 9113 5.1). */
  maySend(from: Sender): boolean {
    return this.state !== 'closed' && !this.ended[from];
  }

  /** Notes END_STREAM of a side. @returns whether both sides have sent it */
  end(from: Sender): boolean {
    this.ended[from] = true;
    if (this.ended.client && this.ended.server) return true;
    this.state = from === 'client' ? 'half-closed (remote)' : 'half-closed (local)';
    return false;
  }

  /** Whether frames of the sender are an error (RFC 9113 5.1). After a reset, the server ignores those of the client. */
  hasEnded(from: Sender): boolean {
    return this.ended[from] && this.reset?.by !== 'server';
  }

  /** Sets the scope of the refusal reasons for which the server has sent this error code. */
  setScope(scope: Violation['scope'], code: string): void {
    this.refusalReasons.forEach((reason, at) => {
      if (leadsTo(reason, code)) this.refusalReasons[at] = { ...reason, scope, code };
    });
  }

  addRefusalReason(violation: Violation): void {
    if (this.refusalReasons.length < MAX_REFUSAL_REASONS) this.refusalReasons.push(violation);
    else this.refusalReasonsLeftOut++;
  }
}

const MAX_REFUSAL_REASONS = 16;
/** Estimated bytes of a kept frame, and below, of a field and of a violation. */
const FRAME_COST = 500;
const FIELD_COST = 200;
const VIOLATION_COST = 200;
const SETTING_COST = 50;

/** Estimated memory of a frame in bytes. */
export function frameMemory({ frame, violations }: SeenFrame): number {
  const own = FRAME_COST + frame.raw.length;
  return own + violations.length * VIOLATION_COST + payloadMemory(frame);
}

function payloadMemory({ payload, ended }: Frame): number {
  switch (payload.kind) {
    case 'headers':
    case 'push-promise':
    case 'continuation': {
      const block = ended?.block;
      return block ? block.listSize + block.fields.length * FIELD_COST : 0;
    }
    case 'settings':
      return payload.settings.length * SETTING_COST;
    case 'bytes':
      return payload.bytes.length;
    case 'goaway':
      return payload.debugData.length;
    case 'priority-update':
      return payload.value.length;
    case 'data':
    case 'ping':
    case 'priority':
    case 'rst-stream':
    case 'window-update':
      return 0;
  }
}
