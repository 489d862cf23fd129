/** Who sends in a direction of a connection. Directions are named after the sender. */
export type Sender = 'client' | 'server';

/** Reads a protocol in both directions. Times are `performance.now()` in milliseconds. */
export interface ProtocolReader {
  received(bytes: Buffer, time: number): void;
  sent(bytes: Buffer, time: number): void;
  sentEnd?(time: number): void;
  /** Estimated memory in bytes. */
  readonly bytesKept: number;
}
