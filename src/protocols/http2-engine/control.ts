import { randomBytes } from 'node:crypto';
import { Problem } from '../../http/problem.ts';
import type { Limits } from '../../server/limits.ts';
import type { Http2SettingName, SessionControl } from '../../server/request.ts';
import { ConnectionSettings } from '../../wire/http2/connection-settings.ts';
import { SettingId } from '../../wire/http2/frame.ts';
import type { Setting } from '../../wire/http2/frame-payload.ts';
import { MAX_PENDING_SETTINGS, maxRequestedWindow } from '../http2-shared/requested-settings.ts';

/** What is sent on a connection that the client has to acknowledge. */
interface ControlFrames {
  changeSettings(settings: readonly Setting[]): void;
  ping(payload: Uint8Array): void;
}

const IDS: Readonly<Record<Http2SettingName, number>> = {
  header_table_size: SettingId.headerTableSize,
  max_concurrent_streams: SettingId.maxConcurrentStreams,
  initial_window_size: SettingId.initialWindowSize,
  max_frame_size: SettingId.maxFrameSize,
  max_header_list_size: SettingId.maxHeaderListSize,
  enable_connect_protocol: SettingId.enableConnectProtocol,
};

type Acknowledge = () => void;

/** Sends SETTINGS and PING, and waits for their acknowledgement (RFC 9113 6.5.3, 6.7). */
export class Control implements SessionControl {
  readonly maxWindow: number;
  readonly #frames: ControlFrames;
  readonly #flush: () => void;
  readonly #acknowledged = new ConnectionSettings();
  /** Called for each unacknowledged SETTINGS, oldest first; undefined for the first one, which no request has sent. */
  readonly #settings: (Acknowledge | undefined)[] = [undefined];
  /** By the payload of the PING, in Latin-1. */
  readonly #pings = new Map<string, Acknowledge>();
  isOver = false;

  /** @param flush called after frames were made */
  constructor(
    frames: ControlFrames,
    flush: () => void,
    { initialWindowSize }: Pick<Limits, 'initialWindowSize'>,
  ) {
    this.#frames = frames;
    this.#flush = flush;
    this.maxWindow = maxRequestedWindow(initialWindowSize);
  }

  async sendSettings(
    settings: ReadonlyMap<Http2SettingName, number>,
    limit: number,
  ): Promise<number | undefined> {
    const pending = this.#settings.filter((each) => each !== undefined).length;
    if (pending >= MAX_PENDING_SETTINGS) {
      throw new Problem('overloaded', `${pending} SETTINGS await their acknowledgement`);
    }
    return this.#within(limit, (done) => {
      this.#settings.push(done);
      this.#frames.changeSettings(
        Array.from(settings, ([name, value]) => ({ id: IDS[name], value })),
      );
    });
  }

  /** Call when the client has acknowledged SETTINGS. */
  onSettingsAck(settings: readonly Setting[]): void {
    for (const setting of settings) this.#acknowledged.apply(setting);
    this.#settings.shift()?.();
  }

  get acknowledgedSettings(): Readonly<Record<Http2SettingName, number>> | undefined {
    if (this.isOver) return undefined;
    const all = this.#acknowledged;
    return {
      header_table_size: all.headerTableSize,
      max_concurrent_streams: all.maxConcurrentStreams,
      initial_window_size: all.initialWindowSize,
      max_frame_size: all.maxFrameSize,
      max_header_list_size: all.maxHeaderListSize,
      enable_connect_protocol: all.enableConnectProtocol ? 1 : 0,
    };
  }

  async ping(limit: number): Promise<number | undefined> {
    const payload = randomBytes(8);
    const key = payload.toString('latin1');
    const time = await this.#within(limit, (done) => {
      this.#pings.set(key, done);
      this.#frames.ping(payload);
    });
    this.#pings.delete(key);
    return time;
  }

  /** Call when the client has acknowledged a PING. */
  onPong(payload: Buffer): void {
    this.#pings.get(payload.toString('latin1'))?.();
  }

  /** @returns the milliseconds until the acknowledgement; undefined without one within the limit */
  async #within(limit: number, send: (done: Acknowledge) => void): Promise<number | undefined> {
    if (this.isOver) return undefined;
    const start = performance.now();
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(undefined), limit).unref();
      send(() => {
        clearTimeout(timer);
        resolve(performance.now() - start);
      });
      this.#flush();
    });
  }
}
