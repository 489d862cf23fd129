import type { Limits } from '../../server/limits.ts';
import type { Http2SettingName } from '../../server/request.ts';
import { ConnectionSettings } from '../../wire/http2/connection-settings.ts';
import { SettingId } from '../../wire/http2/frame.ts';
import type { Setting } from '../../wire/http2/frame-payload.ts';
import { AcknowledgedFrames, type Done } from '../http2-shared/acknowledged.ts';

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

/** Sends SETTINGS and PING on a connection of wirebin's own frames. */
export class Control extends AcknowledgedFrames {
  readonly #frames: ControlFrames;
  readonly #flush: () => void;
  readonly #acknowledged = new ConnectionSettings();
  /** Called for each unacknowledged SETTINGS, oldest first; undefined for the first one, which no request has sent. */
  readonly #settings: (Done | undefined)[] = [undefined];

  /** @param flush called after frames were made */
  constructor(frames: ControlFrames, flush: () => void, limits: Pick<Limits, 'initialWindowSize'>) {
    super(limits);
    this.#frames = frames;
    this.#flush = flush;
  }

  protected override get acknowledged(): ConnectionSettings {
    return this.#acknowledged;
  }

  protected override change(settings: ReadonlyMap<Http2SettingName, number>, done: Done): void {
    this.#settings.push(done);
    this.#frames.changeSettings(
      Array.from(settings, ([name, value]) => ({ id: IDS[name], value })),
    );
    this.#flush();
  }

  /** Call when the client has acknowledged SETTINGS. */
  onSettingsAck(settings: readonly Setting[]): void {
    for (const setting of settings) this.#acknowledged.apply(setting);
    this.#settings.shift()?.(true);
  }

  protected override sendPing(payload: Buffer): void {
    this.#frames.ping(payload);
    this.#flush();
  }
}
