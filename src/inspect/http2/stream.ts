import type { HpackField } from '../../wire/http2/header-block.ts';
import type { Frame } from './frames.ts';
import type { Sender } from '../protocol-reader.ts';
import type { RequestValidator, SectionVerdict } from './validate.ts';
import type { Violation } from './violation.ts';

/** Flow-control windows after a frame, of the sender of DATA. */
export interface Windows {
  readonly connection: number;
  /** Undefined for a stream that is not open. */
  readonly stream: number | undefined;
}

/** A frame, and what it means in its stream and connection. */
export interface SeenFrame {
  readonly frame: Frame;
  /** Of DATA and WINDOW_UPDATE: what the sender of DATA may still send. */
  readonly windows: Windows | undefined;
  /** Of the frame that ended a request's header or trailer section. */
  readonly verdict: SectionVerdict | undefined;
  /** Those of the frame, and those by the state of the connection and stream. */
  readonly violations: readonly Violation[];
}

/** States of RFC 9113 5.1, as seen from the server. */
export type StreamState = 'open' | 'half-closed (remote)' | 'half-closed (local)' | 'closed';

/** How a stream ended if not by END_STREAM on both sides. */
export interface StreamReset {
  readonly by: Sender;
  /** Error code of RST_STREAM or GOAWAY. */
  readonly code: number;
  readonly frame: 'RST_STREAM' | 'GOAWAY';
}

/** What is known of a stream; stream 0 is the connection. */
export interface StreamFacts {
  readonly id: number;
  readonly state: StreamState;
  /** In both directions, in order of their ends. */
  readonly frames: readonly SeenFrame[];
  /** Frames that were not kept. */
  readonly leftOut: number;
  /** Bytes of DATA by the client, without padding. */
  readonly received: number;
  readonly contentLength: number | undefined;
  /** Bytes that each sender may still send. */
  readonly windows: Readonly<Record<Sender, number>>;
  /** Whether it was opened above the announced SETTINGS_MAX_CONCURRENT_STREAMS. */
  readonly aboveLimit: boolean;
  readonly reset: StreamReset | undefined;
  /** Whether Node made a request of it, as far as `delivered()` was called. */
  readonly delivered: boolean;
  /** Whether the server sent HEADERS. */
  readonly responded: boolean;
  /** Why nghttp2 should refuse the request, by our reading. It stops at the first one. */
  readonly refusalReasons: readonly Violation[];
  readonly refusalReasonsLeftOut: number;
  /**
   * Whether the server reset it instead of serving a request: neither `delivered` nor `responded`, or with
   * refusal reasons.
   */
  readonly rejected: boolean;
}

/** The frames of the request's header section that are kept. */
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

/** The fields of a section, once it is complete. @param section its frames */
export function fieldsOf(section: readonly Frame[]): readonly HpackField[] {
  return section.at(-1)?.ended?.block.fields ?? [];
}

/** The fields of the request's header section, once it is complete and while its frame is kept. */
export function requestFields(stream: StreamFacts): readonly HpackField[] {
  return fieldsOf(requestSection(stream));
}

/** A stream being followed. */
export class Stream implements StreamFacts {
  readonly id: number;
  readonly validator: RequestValidator | undefined;
  readonly windows: Record<Sender, number>;
  readonly frames: SeenFrame[] = [];
  readonly refusalReasons: Violation[] = [];
  refusalReasonsLeftOut = 0;
  state: StreamState = 'open';
  leftOut = 0;
  /** Bytes that the frames take, about. */
  kept = 0;
  aboveLimit = false;
  reset: StreamReset | undefined;
  delivered = false;
  responded = false;
  rejected = false;
  /** Whether each side sent END_STREAM. */
  readonly ended: Record<Sender, boolean> = { client: false, server: false };
  /** Whether the request's header section has ended. */
  hasRequest = false;

  constructor(id: number, windows: Record<Sender, number>, validator?: RequestValidator) {
    this.id = id;
    this.windows = windows;
    this.validator = validator;
  }

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

  /** Notes END_STREAM of a side. @returns whether both have sent it */
  end(from: Sender): boolean {
    this.ended[from] = true;
    if (this.ended.client && this.ended.server) return true;
    this.state = from === 'client' ? 'half-closed (remote)' : 'half-closed (local)';
    return false;
  }

  /** Keeps the first ones. */
  addRefusalReason(violation: Violation): void {
    if (this.refusalReasons.length < MAX_REFUSAL_REASONS) this.refusalReasons.push(violation);
    else this.refusalReasonsLeftOut++;
  }
}

const MAX_REFUSAL_REASONS = 16;
/** Bytes that a kept frame, a field and a violation take, about. */
const FRAME_COST = 500;
const FIELD_COST = 200;
const VIOLATION_COST = 200;
const SETTING_COST = 50;

/** Bytes of memory that a frame takes, about. */
export function memoryOf({ frame, violations }: SeenFrame): number {
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
