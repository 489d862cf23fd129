import type { TcpConnection } from '../net/tcp-connection.ts';
import type { Limits } from '../server/limits.ts';

/** Milliseconds by which a timer may differ from its interval. */
const TIMER_DEVIATION = 5;

/** Notices a client that takes none of the bytes that its connection has to send. */
export class WriteStall {
  readonly #connection: Pick<TcpConnection, 'stream' | 'writeProgress'>;
  readonly #limits: Pick<Limits, 'stallTimeout' | 'sweepInterval'>;
  /** While data is pending: `writeProgress`, since when it has not changed, and when it was last checked. */
  #progress: { readonly value: number; readonly since: number; readonly seen: number } | undefined;

  constructor(
    connection: Pick<TcpConnection, 'stream' | 'writeProgress'>,
    limits: Pick<Limits, 'stallTimeout' | 'sweepInterval'>,
  ) {
    this.#connection = connection;
    this.#limits = limits;
  }

  /**
   * Whether the client has taken none of the pending data for as long as the limit. Over TLS, data may be pending
   * forever: Node loses the error of a write that OpenSSL itself makes, and with it every later write. Call at intervals.
   */
  isReached(now: number): boolean {
    if (this.#connection.stream.writableLength === 0) {
      this.#progress = undefined;
      return false;
    }
    const { stallTimeout, sweepInterval } = this.#limits;
    const value = this.#connection.writeProgress;
    const isSame = this.#progress?.value === value;
    const { since, seen } = (isSame ? this.#progress : undefined) ?? { since: now, seen: now };
    this.#progress = { value, since, seen: now };
    // If the process was stopped or its event loop blocked, it is not known yet what the client has taken.
    const end = Math.min(now, seen + sweepInterval);
    return end - since >= stallTimeout - TIMER_DEVIATION;
  }
}
