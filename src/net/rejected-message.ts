/** What is known about a message that was rejected before it became a request. */
export interface RejectedMessage {
  /** HTTP/2 only, like `target`. */
  readonly method?: string | undefined;
  readonly target?: string | undefined;
  /** The first bytes of the message in Latin-1, at most 1 KiB, or 8 KiB with --inspect. */
  readonly text?: string | undefined;
  /** HTTP/2 with --inspect: the first frames of the message, at most 1 KiB. */
  readonly frames?: readonly FramePart[] | undefined;
}

/** Successive bytes of frames as sent, in Latin-1. */
export interface FramePart {
  readonly text: string;
  /** What the bytes are: the header of a frame, an encoded field, or anything else. */
  readonly kind: 'header' | 'field' | 'content';
  /** Decoded name of an encoded field; `value` is its decoded value. */
  readonly name?: string;
  readonly value?: string;
}

const MAX_EXCERPT = 1024;
/** With --inspect. The tap keeps its last thousand events in memory, so an excerpt must be short. */
const MAX_INSPECTED = 8192;

/** The first 1 KiB of the bytes as text. */
export function excerpt(bytes: Buffer): string {
  return bytes.toString('latin1', 0, MAX_EXCERPT);
}

/** The beginning of a text with one byte per character: 1 KiB, or 8 KiB with --inspect. */
export function excerptOf(text: string, isInspected: boolean): string {
  return text.slice(0, isInspected ? MAX_INSPECTED : MAX_EXCERPT);
}
