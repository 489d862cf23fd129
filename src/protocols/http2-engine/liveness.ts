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
  /** Bytes read at the last check after the PING, and when they had last changed; undefined without a PING. */
  #read = 0;
  #pinged: number | undefined;

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
    const isAlive = this.#pinged !== undefined && bytesRead !== this.#read;
    if (isAlive || writeProgress !== this.#written) {
      this.#written = writeProgress;
      this.#since = now;
      this.#pinged = undefined;
      return false;
    }
    if (this.#pinged !== undefined) return now - this.#pinged >= this.#silence;
    if (now - this.#since < this.#silence) return false;
    this.#read = bytesRead;
    this.#pinged = now;
    this.#ping();
    return false;
  }
}
