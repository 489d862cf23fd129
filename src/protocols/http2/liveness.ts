import type { ServerHttp2Session } from 'node:http2';
import { versions } from 'node:process';
import { hasHttp2Fixes } from '../../net/http2-fixes.ts';
import { pingSession } from '../../net/node-internals-http2.ts';
import { afterIterations, WRITE_ITERATIONS } from '../../net/event-loop.ts';
import type { Backlog } from './backlog.ts';

/**
 * Milliseconds without a written byte after which a PING tests whether what the client has sent made the session fail;
 * also the time after which that PING must have been written.
 */
const SHORT_SILENCE = 1000;

/** Node 20 does not report most connection errors: nghttp2 sends GOAWAY, and then neither reads nor sends. */
const ERRORS_ARE_SILENT = !hasHttp2Fixes(versions.node);

/** What `Liveness` needs of a connection. */
interface Watched {
  readonly socket: { readonly bytesRead: number; readonly bytesWritten: number };
  readonly tls: object | undefined;
  readonly requests: { readonly open: number };
  detectReset(): void;
}

/**
 * Uses PINGs to detect sessions that ended without an event, and clients that no longer read. A session that nghttp2
 * has ended sends no PING. Node 20 never reports such an end, later versions only if the session is not closing.
 */
export class Liveness {
  readonly #session: ServerHttp2Session;
  readonly #connection: Watched;
  readonly #backlog: Pick<Backlog, 'isWritten'>;
  readonly #silence: number;
  readonly #shortSilence: number;
  /** Bytes written at the last check. */
  #written = 0;
  /** When bytes were last seen to have been written, from performance.now(). */
  #since = performance.now();
  /** Bytes read when the PING was sent, or at a later check. */
  #read = 0;
  /** Bytes read before the last PING that was written. That PING shows that they did not make the session fail. */
  #readAlive = 0;
  /** The PING: undefined without one, then `queued`, then the time from which it is overdue. */
  #ping: undefined | 'queued' | number;

  /** @param silence milliseconds without a written byte until a PING, and then until the client counts as silent */
  constructor(
    session: ServerHttp2Session,
    connection: Watched,
    backlog: Pick<Backlog, 'isWritten'>,
    silence: number,
  ) {
    this.#session = session;
    this.#connection = connection;
    this.#backlog = backlog;
    this.#silence = silence;
    this.#shortSilence = Math.min(silence, SHORT_SILENCE);
  }

  /**
   * Call at intervals while the session is not destroyed.
   *
   * @returns `failed` after a connection error (RFC 9113 5.4.1); `silent` if the client does not read
   */
  check(now: number): 'failed' | 'silent' | undefined {
    const { bytesRead, bytesWritten } = this.#connection.socket;
    if (bytesWritten !== this.#written) {
      if (this.#ping !== undefined) this.#readAlive = this.#read;
      this.#written = bytesWritten;
      this.#since = now;
      this.#ping = undefined;
      return undefined;
    }
    // Over TLS, Node loses the error of a write by OpenSSL itself, and reads no RST during a write.
    if (this.#connection.tls && this.#connection.requests.open > 0) this.#connection.detectReset();
    if (this.#ping === undefined) {
      const isSuspect = ERRORS_ARE_SILENT && bytesRead !== this.#readAlive;
      if (now - this.#since >= (isSuspect ? this.#shortSilence : this.#silence)) this.#sendPing();
    } else if (this.#ping === 'queued') return undefined;
    else if (now - this.#ping >= this.#shortSilence && this.#backlog.isWritten) {
      return 'failed';
    } else if (bytesRead !== this.#read) {
      // A client that sends is alive, even if it does not read.
      this.#read = bytesRead;
      this.#ping = now;
    } else if (now - this.#ping >= this.#silence) return 'silent';
    return undefined;
  }

  #sendPing(): void {
    // Node refuses to send a PING if ten are unacknowledged.
    if (!pingSession(this.#session)) return;
    this.#read = this.#connection.socket.bytesRead;
    this.#ping = 'queued';
    // Counted in iterations, not in time: whatever blocks the event loop also delays the writing of the PING.
    afterIterations(WRITE_ITERATIONS, () => {
      if (this.#ping === 'queued') this.#ping = performance.now();
    });
  }
}
