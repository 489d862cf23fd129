/** Who sends in a direction of a connection: directions are named after it. */
export type Sender = 'client' | 'server';

/** Reads one protocol in both directions. Times are of `performance.now()`, in milliseconds. */
export interface ProtocolReader {
  received(bytes: Buffer, time: number): void;
  sent(bytes: Buffer, time: number): void;
  sentEnd?(time: number): void;
  /** Memory that is held, in bytes, about. */
  readonly bytesKept: number;
}
