/** What is known of a message that was rejected before it became a request. */
export interface RejectedMessage {
  /** Set if known from elsewhere than `text`. */
  readonly method?: string | undefined;
  readonly target?: string | undefined;
  /** Its first bytes, one character per byte: excerpts of at most 1 KiB, and `OMITTED` between them. */
  readonly text?: string | undefined;
  /** HTTP/2, with --inspect: its first frames, at most 1 KiB. */
  readonly frames?: readonly FramePart[] | undefined;
}

/** Successive bytes of frames as sent, one character per byte. */
export interface FramePart {
  readonly text: string;
  /** What the bytes mean: the header of a frame, an encoded field, or anything else. */
  readonly kind: 'header' | 'field' | 'content';
  /** Of a field, decoded. */
  readonly name?: string;
  readonly value?: string;
}

/** Marks where bytes may be missing; no byte maps to this character. */
export const OMITTED = '\u2026';

const MAX_EXCERPT = 1024;

/** The first 1 KiB of the bytes as text. */
export function excerpt(bytes: Buffer): string {
  return bytes.toString('latin1', 0, MAX_EXCERPT);
}
