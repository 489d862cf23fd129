import type { ServerHttp2Session, Settings } from 'node:http2';
import type { Limits } from '../../server/limits.ts';
import type { Http2SettingName } from '../../server/request.ts';
import { AcknowledgedFrames, type Done } from '../http2-shared/acknowledged.ts';

/** Sends SETTINGS and PING on a session of node:http2. */
export class NodeControl extends AcknowledgedFrames {
  /** SETTINGS_MAX_CONCURRENT_STREAMS as announced to the client. */
  maxStreams: number;
  readonly #session: ServerHttp2Session;

  constructor(
    session: ServerHttp2Session,
    limits: Pick<Limits, 'maxStreams' | 'initialWindowSize'>,
  ) {
    super(limits);
    this.#session = session;
    this.maxStreams = limits.maxStreams;
  }

  protected override get acknowledged(): Settings {
    return this.#session.localSettings;
  }

  protected override change(settings: ReadonlyMap<Http2SettingName, number>, done: Done): void {
    this.maxStreams = settings.get('max_concurrent_streams') ?? this.maxStreams;
    this.#session.settings(nodeSettings(settings), (error) => done(!error));
  }

  protected override sendPing(sent: Buffer): void {
    // An acknowledgement must repeat the data (RFC 9113 6.7), but Node accepts any as that of the oldest PING.
    this.#session.ping(sent, (error, _, payload) => this.pingEnded(error ? sent : payload, !error));
  }
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
