/** What `Liveness` needs of a connection. */
interface Watched {
  readonly socket: { readonly bytesRead: number };
  /** Changes whenever the system has taken bytes to send. */
  readonly writeProgress: number;
  readonly tls: object | undefined;
  readonly requests: { readonly open: number };
  detectReset(): void;
}

/** Uses PINGs to detect clients that no longer read, or are gone. */
export class Liveness {
  readonly #connection: Watched;
  readonly #ping: () => void;
  readonly #silence: number;
  /** `writeProgress` at the last check, and when it had last changed, from performance.now(). */
  #written = 0;
  #since = performance.now();
  /** When the PING was sent that the client has not reacted to, and the bytes that were read until then. */
  #pingedAt: number | undefined;
  #readBefore = 0;

  /** @param silence milliseconds without a written byte until a PING, and then until the client counts as silent */
  constructor(connection: Watched, ping: () => void, silence: number) {
    this.#connection = connection;
    this.#ping = ping;
    this.#silence = silence;
  }

  /** Call at intervals. @returns whether the client is silent */
  isSilent(now: number): boolean {
    const { socket, tls, requests, writeProgress } = this.#connection;
    const { bytesRead } = socket;
    // Over TLS, Node loses the error of a write by OpenSSL itself, and reads no RST during a write.
    if (tls && requests.open > 0) this.#connection.detectReset();
    // A client that acknowledges no PING may still read, and one that sends is alive even if it does not read.
    const isAlive = this.#pingedAt !== undefined && bytesRead !== this.#readBefore;
    if (isAlive || writeProgress !== this.#written) {
      this.#written = writeProgress;
      this.#since = now;
      this.#pingedAt = undefined;
      return false;
    }
    if (this.#pingedAt !== undefined) return now - this.#pingedAt >= this.#silence;
    if (now - this.#since < this.#silence) return false;
    this.#readBefore = bytesRead;
    this.#pingedAt = now;
    this.#ping();
    return false;
  }
}
