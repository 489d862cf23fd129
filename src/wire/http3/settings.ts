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

/** The settings of a peer that has not sent any (RFC 9114 7.2.4.2). */
export const DEFAULT_SETTINGS: Http3Settings = {
  maxFieldSectionSize: Infinity,
  qpackMaxTableCapacity: 0,
  qpackBlockedStreams: 0,
  enableConnectProtocol: false,
  h3Datagram: false,
};

/** Identifiers of HTTP/2 settings that HTTP/3 does not have (RFC 9114 7.2.4.1, 11.2.2). */
const OF_HTTP2 = new Set<number | bigint>([0x00, 0x02, 0x03, 0x04, 0x05]);

/** Reads the payload of SETTINGS (RFC 9114 7.2.4), in order and with those that are unknown. */
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
    const wrong = seen.has(id) ? 'twice' : valueFault(id, value);
    if (wrong !== undefined) {
      const section = sections[Number(id)] ?? 'RFC 9114 7.2.4';
      return connectionError(section, `${settingName(id)} ${wrong}`, 'H3_SETTINGS_ERROR');
    }
    seen.add(id);
    settings.push({ id, value });
  }
  return settings;
}

/** The section that says which values a setting has. */
const sections: Readonly<Record<number, string>> = {
  [SettingId.enableConnectProtocol]: 'RFC 8441 3',
  [SettingId.h3Datagram]: 'RFC 9297 2.1.1',
};

function valueFault(id: number | bigint, value: number | bigint): string | undefined {
  if (OF_HTTP2.has(id)) return 'of HTTP/2';
  const isFlag = id === SettingId.enableConnectProtocol || id === SettingId.h3Datagram;
  return isFlag && value > 1 ? `of ${value}` : undefined;
}

/** What settings mean; those that are not among them have their default. */
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
