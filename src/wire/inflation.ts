const KiB = 1024;
/** Maximum ratio of content to what it was inflated from, beyond the first bytes. DEFLATE reaches 1032. */
export const MAX_RATIO = 200;
const EXEMPT_FROM_RATIO = 1024 * KiB;

/** The bytes that a client may have inflated from compressed bytes that it has sent. */
export function maxInflated(received: number): number {
  return Math.max(EXEMPT_FROM_RATIO, MAX_RATIO * received);
}
