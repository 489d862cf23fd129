import { ByteReader } from '../byte-reader.ts';
import type { Violation } from '../http2/violation.ts';
import { SettingId, settingName } from './names.ts';
import { connectionError } from './violation.ts';

/** A setting as sent. Identifiers and values have up to 62 bits. */
export interface Setting {
  readonly id: number | bigint;
  readonly value: number | bigint;
}

/** The settings that have a meaning here. */
export interface Http3Settings {
  /** In bytes, as RFC 9114 4.2.2 counts them; Infinity without a limit. */
  readonly maxFieldSectionSize: number;
  /** In bytes. */
  readonly qpackMaxTableCapacity: number;
  readonly qpackBlockedStreams: number;
  /** Whether extended CONNECT is allowed (RFC 9220 3). */
  readonly enableConnectProtocol: boolean;
  /** Whether HTTP Datagrams are understood (RFC 9297 2.1.1). */
  readonly h3Datagram: boolean;
}

/** Identifiers that are reserved because HTTP/2 uses them (RFC 9114 7.2.4.1, 11.2.2). */
const OF_HTTP2 = new Set<number | bigint>([0x00, 0x02, 0x03, 0x04, 0x05]);

/** Reads the payload of SETTINGS (RFC 9114 7.2.4). @returns all settings in order, including unknown ones */
export function parseSettings(payload: Uint8Array): readonly Setting[] | Violation {
  const reader = new ByteReader(payload);
  const settings: Setting[] = [];
  const seen = new Set<number | bigint>();
  while (!reader.atEnd) {
    const id = reader.exactVarint();
    const value = reader.exactVarint();
    if (reader.failed) {
      return connectionError('RFC 9114 7.1', 'SETTINGS ends within a setting', 'H3_FRAME_ERROR');
    }
    if (seen.has(id)) return settingsError('RFC 9114 7.2.4', `${settingName(id)} twice`);
    const wrong = settingViolation(id, value);
    if (wrong) return wrong;
    seen.add(id);
    settings.push({ id, value });
  }
  return settings;
}

/** Sections that allow a setting only the values 0 and 1. */
const FLAG_SECTIONS: Readonly<Record<number, string>> = {
  [SettingId.enableConnectProtocol]: 'RFC 8441 3',
  [SettingId.h3Datagram]: 'RFC 9297 2.1.1',
};

function settingViolation(id: number | bigint, value: number | bigint): Violation | undefined {
  if (OF_HTTP2.has(id)) {
    return settingsError('RFC 9114 7.2.4.1', `${settingName(id)} of HTTP/2`);
  }
  const section = FLAG_SECTIONS[Number(id)];
  if (section === undefined || value <= 1) return undefined;
  return settingsError(section, `${settingName(id)} of ${value}`);
}

const settingsError = (section: string, reason: string): Violation =>
  connectionError(section, reason, 'H3_SETTINGS_ERROR');

/** What settings mean. Those that are absent have their default (RFC 9114 7.2.4.1, RFC 9204 5, RFC 9220 3, RFC 9297 2.1.1). */
export function settingsOf(settings: readonly Setting[]): Http3Settings {
  const valueOf = (id: number): number | undefined => {
    const setting = settings.find((each) => each.id === id);
    return setting && Number(setting.value);
  };
  return {
    maxFieldSectionSize: valueOf(SettingId.maxFieldSectionSize) ?? Infinity,
    qpackMaxTableCapacity: valueOf(SettingId.qpackMaxTableCapacity) ?? 0,
    qpackBlockedStreams: valueOf(SettingId.qpackBlockedStreams) ?? 0,
    enableConnectProtocol: valueOf(SettingId.enableConnectProtocol) === 1,
    h3Datagram: valueOf(SettingId.h3Datagram) === 1,
  };
}

/** The settings of a peer before its SETTINGS frame (RFC 9114 7.2.4.2). */
export const DEFAULT_SETTINGS: Http3Settings = settingsOf([]);
