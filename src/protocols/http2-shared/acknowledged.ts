import { randomBytes } from 'node:crypto';
import type { Settings } from 'node:http2';
import { Problem } from '../../http/problem.ts';
import type { Limits } from '../../server/limits.ts';
import type { Http2SettingName, SessionControl } from '../../server/request.ts';

/** Maximum number of unacknowledged SETTINGS. Node destroys a session with more than 10. */
const MAX_PENDING_SETTINGS = 8;
/** Maximum SETTINGS_INITIAL_WINDOW_SIZE in bytes that any client may ask for, unless that of all clients is larger. */
const MAX_REQUESTED_WINDOW = 256 * 1024;

/** Call with whether the client has acknowledged the frame; false if it never will. */
export type Done = (isAcknowledged: boolean) => void;

/** Sends SETTINGS and PING, and waits for their acknowledgement (RFC 9113 6.5.3, 6.7). */
export abstract class AcknowledgedFrames implements SessionControl {
  readonly maxWindow: number;
  /** Number of unacknowledged SETTINGS. */
  #pending = 0;
  /** By the payload of the PING, in Latin-1. */
  readonly #pings = new Map<string, Done>();
  /** Those of all frames that wait. */
  readonly #waiting = new Set<Done>();
  #isOver = false;

  constructor({ initialWindowSize }: Pick<Limits, 'initialWindowSize'>) {
    this.maxWindow = Math.max(MAX_REQUESTED_WINDOW, initialWindowSize);
  }

  /** The settings that the client has acknowledged. Not read once the session has ended. */
  protected abstract readonly acknowledged: Settings;

  protected abstract change(settings: ReadonlyMap<Http2SettingName, number>, done: Done): void;

  /** @param payload 8 bytes */
  protected abstract sendPing(payload: Buffer): void;

  get acknowledgedSettings(): Readonly<Record<Http2SettingName, number>> | undefined {
    if (this.#isOver) return undefined;
    // Node's type lets each be missing, but none is.
    const settings = this.acknowledged;
    return {
      header_table_size: settings.headerTableSize ?? 0,
      max_concurrent_streams: settings.maxConcurrentStreams ?? 0,
      initial_window_size: settings.initialWindowSize ?? 0,
      max_frame_size: settings.maxFrameSize ?? 0,
      max_header_list_size: settings.maxHeaderListSize ?? 0,
      enable_connect_protocol: settings.enableConnectProtocol === true ? 1 : 0,
    };
  }

  async sendSettings(
    settings: ReadonlyMap<Http2SettingName, number>,
    limit: number,
  ): Promise<number | undefined> {
    if (this.#pending >= MAX_PENDING_SETTINGS) {
      throw new Problem('overloaded', `${this.#pending} SETTINGS await their acknowledgement`);
    }
    return this.#within(limit, (done) => {
      this.#pending++;
      this.change(settings, (isAcknowledged) => {
        this.#pending--;
        done(isAcknowledged);
      });
    });
  }

  async ping(limit: number): Promise<number | undefined> {
    const payload = randomBytes(8);
    const key = payload.toString('latin1');
    const time = await this.#within(limit, (done) => {
      this.#pings.set(key, done);
      this.sendPing(payload);
    });
    this.#pings.delete(key);
    return time;
  }

  /** Call when a PING was acknowledged with this payload, or the one that had it cannot be any more. */
  pingEnded(payload: Buffer, isAcknowledged: boolean): void {
    this.#pings.get(payload.toString('latin1'))?.(isAcknowledged);
  }

  /** Call when the session has ended. What waits would otherwise keep it in memory up to the limit. */
  end(): void {
    this.#isOver = true;
    for (const done of this.#waiting) done(false);
  }

  /** @returns the milliseconds until the acknowledgement; undefined without one within the limit */
  async #within(limit: number, send: (done: Done) => void): Promise<number | undefined> {
    if (this.#isOver) return undefined;
    const start = performance.now();
    return new Promise((resolve) => {
      const done: Done = (isAcknowledged) => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        const time = isAcknowledged ? performance.now() - start : undefined;
        // Deferred, so that nothing continues within an nghttp2 callback.
        setImmediate(() => resolve(time));
      };
      const timer = setTimeout(() => done(false), limit).unref();
      this.#waiting.add(done);
      send(done);
    });
  }
}
