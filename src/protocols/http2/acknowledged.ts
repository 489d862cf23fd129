import { randomBytes } from 'node:crypto';
import type { ServerHttp2Session, Settings } from 'node:http2';
import { Problem } from '../../http/problem.ts';
import type { Http2SettingName } from '../../server/request.ts';

/** Node destroys a session with more SETTINGS than 10 that are not acknowledged. */
const MAX_PENDING = 8;
const pending = new WeakMap<ServerHttp2Session, number>();

type Callback = (milliseconds: number | undefined) => void;

/** Sends SETTINGS; see `SessionControl`. */
export async function sendSettings(
  session: ServerHttp2Session,
  settings: ReadonlyMap<Http2SettingName, number>,
  limit: number,
): Promise<number | undefined> {
  const before = pending.get(session) ?? 0;
  if (before >= MAX_PENDING) {
    throw new Problem('overloaded', `${before} SETTINGS await their acknowledgement`);
  }
  return within(limit, (done) => {
    if (session.destroyed) {
      done(undefined);
      return;
    }
    pending.set(session, before + 1);
    const start = performance.now();
    // The duration that Node passes is the time since the start of the system.
    session.settings(nodeSettings(settings), (error) => {
      pending.set(session, (pending.get(session) ?? 1) - 1);
      done(error ? undefined : performance.now() - start);
    });
  });
}

/** @returns undefined if the session has ended */
export function acknowledgedSettings({
  destroyed,
  localSettings,
}: ServerHttp2Session): Readonly<Record<Http2SettingName, number>> | undefined {
  if (destroyed) return undefined;
  const { headerTableSize, maxConcurrentStreams, initialWindowSize } = localSettings;
  const { maxFrameSize, maxHeaderListSize, enableConnectProtocol } = localSettings;
  // All are set while the session is open.
  return {
    header_table_size: headerTableSize ?? 0,
    max_concurrent_streams: maxConcurrentStreams ?? 0,
    initial_window_size: initialWindowSize ?? 0,
    max_frame_size: maxFrameSize ?? 0,
    max_header_list_size: maxHeaderListSize ?? 0,
    enable_connect_protocol: enableConnectProtocol === true ? 1 : 0,
  };
}

/** Sends PING; see `SessionControl`. */
export async function ping(
  session: ServerHttp2Session,
  limit: number,
): Promise<number | undefined> {
  return within(limit, (done) => {
    if (session.destroyed) return done(undefined);
    // RFC 9113 6.7: an acknowledgement has an identical payload. Node takes any for that of the oldest PING.
    const sent = randomBytes(8);
    session.ping(sent, (error, milliseconds, payload) =>
      done(error || !sent.equals(payload) ? undefined : milliseconds),
    );
  });
}

/** @param limit in milliseconds */
async function within(limit: number, send: (done: Callback) => void): Promise<number | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), limit).unref();
    send((milliseconds) => {
      clearTimeout(timer);
      // Not in an nghttp2 callback.
      setImmediate(() => resolve(milliseconds));
    });
  });
}

function nodeSettings(settings: ReadonlyMap<Http2SettingName, number>): Settings {
  const converted: Settings = {};
  for (const [name, value] of settings) {
    switch (name) {
      case 'header_table_size':
        converted.headerTableSize = value;
        break;
      case 'max_concurrent_streams':
        converted.maxConcurrentStreams = value;
        break;
      case 'initial_window_size':
        converted.initialWindowSize = value;
        break;
      case 'max_frame_size':
        converted.maxFrameSize = value;
        break;
      case 'max_header_list_size':
        converted.maxHeaderListSize = value;
        break;
      case 'enable_connect_protocol':
        converted.enableConnectProtocol = value === 1;
    }
  }
  return converted;
}
