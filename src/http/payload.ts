/**
 * The content of an answer.
 *
 * - a string (sent as UTF-8) or bytes: whole, there already
 * - pulled: made piece by piece as the client takes it, so that only a window is ever held
 * - paced: comes at its own pace, its length unknown
 */
export type Payload = string | Uint8Array | Pulled | Paced;

export interface Pulled {
  readonly kind: 'pulled';
  /** All of it, in octets. */
  readonly length: number;
  /** Whether its pieces are views of octets that are there anyway, so that queued ones cost nothing. */
  readonly shared?: boolean;
  /** The next piece, at most `size` octets; undefined after the last. */
  next(size: number): Uint8Array | undefined;
}

export interface Paced {
  readonly kind: 'paced';
  /** @param gone aborts when the client goes: timers must be let go of at once */
  chunks(gone: AbortSignal): AsyncIterable<Uint8Array | string>;
}

/** Octets of the payload, undefined where only time will tell. */
export function payloadLength(payload: Payload): number | undefined {
  if (typeof payload === 'string') return Buffer.byteLength(payload);
  if (payload instanceof Uint8Array) return payload.length;
  return payload.kind === 'pulled' ? payload.length : undefined;
}
