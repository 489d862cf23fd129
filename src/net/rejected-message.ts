/** What is known of a message that was rejected before it became a request. */
export interface RejectedMessage {
  /** Method, and below, target, if they are known from elsewhere than `text`. */
  readonly method?: string | undefined;
  readonly target?: string | undefined;
  /** The first bytes of the message in Latin-1: excerpts of at most 1 KiB, with `OMITTED` between them. */
  readonly text?: string | undefined;
  /** HTTP/2 with --inspect: the first frames of the message, at most 1 KiB. */
  readonly frames?: readonly FramePart[] | undefined;
}

/** Successive bytes of frames as sent, in Latin-1. */
export interface FramePart {
  readonly text: string;
  /** What the bytes mean: the header of a frame, an encoded field, or anything else. */
  readonly kind: 'header' | 'field' | 'content';
  /** Decoded name, and below, value of a field. */
  readonly name?: string;
  readonly value?: string;
}

/** Marks where bytes may be missing. No byte maps to this character. */
export const OMITTED = '\u2026';

const MAX_EXCERPT = 1024;

/** The first 1 KiB of the bytes as text. */
export function excerpt(bytes: Buffer): string {
  return bytes.toString('latin1', 0, MAX_EXCERPT);
}
