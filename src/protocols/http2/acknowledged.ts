import { randomBytes } from 'node:crypto';
import type { ServerHttp2Session, Settings } from 'node:http2';
import { Problem } from '../../http/problem.ts';
import type { Limits } from '../../server/limits.ts';
import type { Http2SettingName, SessionControl } from '../../server/request.ts';
import { MAX_PENDING_SETTINGS, maxRequestedWindow } from '../http2-shared/requested-settings.ts';

type Callback = (milliseconds: number | undefined) => void;

/** Sends frames that the client has to acknowledge: SETTINGS and PING. */
export class AcknowledgedFrames implements SessionControl {
  readonly maxWindow: number;
  /** SETTINGS_MAX_CONCURRENT_STREAMS as announced to the client. */
  maxStreams: number;
  readonly #session: ServerHttp2Session;
  /** Number of unacknowledged SETTINGS. */
  #pending = 0;

  constructor(
    session: ServerHttp2Session,
    { maxStreams, initialWindowSize }: Pick<Limits, 'maxStreams' | 'initialWindowSize'>,
  ) {
    this.#session = session;
    this.maxStreams = maxStreams;
    this.maxWindow = maxRequestedWindow(initialWindowSize);
  }

  async sendSettings(
    settings: ReadonlyMap<Http2SettingName, number>,
    limit: number,
  ): Promise<number | undefined> {
    this.maxStreams = settings.get('max_concurrent_streams') ?? this.maxStreams;
    if (this.#pending >= MAX_PENDING_SETTINGS) {
      throw new Problem('overloaded', `${this.#pending} SETTINGS await their acknowledgement`);
    }
    return within(limit, (done) => {
      if (this.#session.destroyed) {
        done(undefined);
        return;
      }
      this.#pending++;
      const start = performance.now();
      // Measured here, because the duration that Node passes is wrong: it is the time since system start.
      this.#session.settings(nodeSettings(settings), (error) => {
        this.#pending--;
        done(error ? undefined : performance.now() - start);
      });
    });
  }

  get acknowledgedSettings(): Readonly<Record<Http2SettingName, number>> | undefined {
    const { destroyed, localSettings } = this.#session;
    if (destroyed) return undefined;
    const { headerTableSize, maxConcurrentStreams, initialWindowSize } = localSettings;
    const { maxFrameSize, maxHeaderListSize, enableConnectProtocol } = localSettings;
    // The defaults are for the type only: all values are set while the session is open.
    return {
      header_table_size: headerTableSize ?? 0,
      max_concurrent_streams: maxConcurrentStreams ?? 0,
      initial_window_size: initialWindowSize ?? 0,
      max_frame_size: maxFrameSize ?? 0,
      max_header_list_size: maxHeaderListSize ?? 0,
      enable_connect_protocol: enableConnectProtocol === true ? 1 : 0,
    };
  }

  async ping(limit: number): Promise<number | undefined> {
    const session = this.#session;
    return within(limit, (done) => {
      if (session.destroyed) return done(undefined);
      // An acknowledgement must repeat the data (RFC 9113 6.7), but Node accepts any as that of the oldest PING.
      const sent = randomBytes(8);
      session.ping(sent, (error, milliseconds, payload) =>
        done(error || !sent.equals(payload) ? undefined : milliseconds),
      );
    });
  }
}

/** Resolves with the milliseconds until `done` is called; undefined after the limit. @param limit in milliseconds */
async function within(limit: number, send: (done: Callback) => void): Promise<number | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), limit).unref();
    send((milliseconds) => {
      clearTimeout(timer);
      // Deferred, so that nothing continues within an nghttp2 callback.
      setImmediate(() => resolve(milliseconds));
    });
  });
}

/** Node's names of the SETTINGS parameters, except for the boolean one. */
const NODE_NAMES = {
  header_table_size: 'headerTableSize',
  max_concurrent_streams: 'maxConcurrentStreams',
  initial_window_size: 'initialWindowSize',
  max_frame_size: 'maxFrameSize',
  max_header_list_size: 'maxHeaderListSize',
} as const;

function nodeSettings(settings: ReadonlyMap<Http2SettingName, number>): Settings {
  const converted: Settings = {};
  for (const [name, value] of settings) {
    if (name === 'enable_connect_protocol') converted.enableConnectProtocol = value === 1;
    else converted[NODE_NAMES[name]] = value;
  }
  return converted;
}
