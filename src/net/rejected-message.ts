/** What is known of a message that was refused before it was a request. */
export interface RejectedMessage {
  /** Where something else than `text` tells it. */
  readonly method?: string | undefined;
  readonly target?: string | undefined;
  /** Its first bytes, at most a KiB of each piece, a character a byte, and `MISSING`. */
  readonly text?: string | undefined;
}

/** Stands where other bytes may have been; no byte is this character. */
export const OMITTED = '\u2026';

const MAX_EXCERPT = 1024;

/** Bytes as such text. */
export function excerpt(bytes: Buffer): string {
  return bytes.toString('latin1', 0, MAX_EXCERPT);
}
