import { DEFAULT_MAX_FRAME_SIZE, DEFAULT_WINDOW, SettingId } from '../../wire/http2/frame.ts';
import type { Setting } from '../../wire/http2/frame-payload.ts';
import { settingName } from '../../wire/http2/names.ts';

const MAX_SETTINGS = 32;
/** Maximum number of unacknowledged SETTINGS. nghttp2 ends a connection with more. */
const MAX_PENDING = 1000;
/** Number of unacknowledged settings that are kept. Further ones, which occur only in a flood, are not applied. */
const MAX_PENDING_SETTINGS = 1000;

/** A setting with its last announced value. */
export interface AnnouncedSetting {
  readonly id: number;
  readonly name: string;
  readonly value: number;
  /** When it was announced. */
  readonly at: number;
  /** When the peer acknowledged it; undefined before. */
  acknowledgedAt: number | undefined;
}

/** SETTINGS of one sender (RFC 9113 6.5): what it announced, and what its peer acknowledged. */
export class SettingsState {
  /** Acknowledged values, which apply to what the peer sends. */
  readonly effective = {
    maxStreams: Infinity,
    initialWindow: DEFAULT_WINDOW,
    maxFrameSize: DEFAULT_MAX_FRAME_SIZE,
    maxListSize: Infinity,
    connectProtocol: false,
  };
  /** Settings that must not change, as announced. */
  readonly fixed = { enableConnectProtocol: false, noRfc7540Priorities: false };
  /** SETTINGS_MAX_CONCURRENT_STREAMS as announced, even if not acknowledged. */
  maxStreams = Infinity;
  readonly #announced = new Map<number, AnnouncedSetting>();
  /** How often further settings were announced. */
  announcedLeftOut = 0;
  /** SETTINGS sent, and how many of them were acknowledged. */
  readonly counts = { frames: 0, acknowledged: 0 };
  readonly #pending: (readonly AnnouncedSetting[])[] = [];
  #pendingSettings = 0;

  /** The last announced value of each setting, up to 32 of them. */
  get announced(): readonly AnnouncedSetting[] {
    return [...this.#announced.values()];
  }

  announce(settings: readonly Setting[], now: number): void {
    this.counts.frames++;
    const room = Math.min(MAX_SETTINGS, MAX_PENDING_SETTINGS - this.#pendingSettings);
    const added: AnnouncedSetting[] = [];
    for (const { id, value } of settings) {
      const setting = { id, name: settingName(id), value, at: now, acknowledgedAt: undefined };
      if (id === SettingId.maxConcurrentStreams) this.maxStreams = value;
      if (id === SettingId.enableConnectProtocol) this.fixed.enableConnectProtocol = value === 1;
      if (id === SettingId.noRfc7540Priorities) this.fixed.noRfc7540Priorities = value === 1;
      if (added.length < room) added.push(setting);
      if (this.#announced.size < MAX_SETTINGS || this.#announced.has(id)) {
        this.#announced.set(id, setting);
      } else this.announcedLeftOut++;
    }
    if (this.#pending.length === MAX_PENDING) return;
    this.#pending.push(added);
    this.#pendingSettings += added.length;
  }

  /**
   * Applies the oldest SETTINGS that are not acknowledged yet.
   *
   * @returns SETTINGS_HEADER_TABLE_SIZE values in them, in order; undefined without such SETTINGS
   */
  acknowledge(now: number): readonly number[] | undefined {
    const settings = this.#pending.shift();
    if (!settings) return undefined;
    this.counts.acknowledged++;
    this.#pendingSettings -= settings.length;
    const tableSizes: number[] = [];
    for (const setting of settings) {
      setting.acknowledgedAt = now;
      if (setting.id === SettingId.headerTableSize) tableSizes.push(setting.value);
      else this.#apply(setting);
    }
    return tableSizes;
  }

  #apply({ id, value }: AnnouncedSetting): void {
    switch (id) {
      case SettingId.maxConcurrentStreams:
        this.effective.maxStreams = value;
        break;
      case SettingId.initialWindowSize:
        this.effective.initialWindow = value;
        break;
      case SettingId.maxFrameSize:
        this.effective.maxFrameSize = value;
        break;
      case SettingId.maxHeaderListSize:
        this.effective.maxListSize = value;
        break;
      case SettingId.enableConnectProtocol:
        this.effective.connectProtocol = value === 1;
        break;
      default:
    }
  }
}
