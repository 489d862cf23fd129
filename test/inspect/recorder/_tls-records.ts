import { TrafficKeys } from '../../../src/inspect/tls/traffic-keys.ts';
import { differencesOf } from './_differences.ts';

/** Reads the records of a recorded TLS connection, and decrypts them with the secrets of a key log. */

const NAMES: Record<number, string> = {
  20: 'change_cipher_spec',
  21: 'alert',
  22: 'handshake',
  23: 'application_data',
};
const VERSIONS: Record<number, string> = { 0x301: 'TLSv1', 0x302: 'TLSv1.1', 0x303: 'TLSv1.2' };
const HEADER = 5;

export interface TlsRecord {
  /** As in the story of the connection, without the time. */
  readonly view: Readonly<Record<string, unknown>>;
  readonly type: number;
  readonly version: number;
  readonly content: Buffer;
}

export function readRecords(bytes: Buffer): TlsRecord[] {
  const records: TlsRecord[] = [];
  for (let at = 0; at + HEADER <= bytes.length;) {
    const type = bytes.readUInt8(at);
    const version = bytes.readUInt16BE(at + 1);
    const length = bytes.readUInt16BE(at + 3);
    const content = bytes.subarray(at + HEADER, at + HEADER + length);
    const names = { type: NAMES[type] ?? String(type), version: VERSIONS[version] };
    const view = { record: records.length, ...names, length, offset: at };
    records.push({ view, type, version, content });
    at += HEADER + length;
  }
  return records;
}

/** The bytes of HTTP in a record, from the first one of its side. */
export interface Carried {
  readonly record: number;
  readonly offset: number;
  readonly length: number;
}

export interface Decrypted {
  plaintext: Buffer;
  readonly carried: Carried[];
  /** Descriptions, in order. */
  readonly alerts: readonly number[];
}

/** Of TLS 1.3; the tag of each record proves that it is what was encrypted. */
export function decrypt(
  from: 'CLIENT' | 'SERVER',
  records: readonly TlsRecord[],
  clientHello: Buffer,
  serverHello: Buffer,
  keyLog: string,
): Decrypted {
  // Both hellos have a handshake header of 4 bytes, the version and the random.
  const random = clientHello.toString('hex', 6, 38);
  const suite = serverHello.readUInt16BE(39 + serverHello.readUInt8(38));
  // Undefined if the handshake was not completed.
  const secret = (label: string): TrafficKeys | undefined => {
    const found = new RegExp(`^${from}_${label} ${random} ([0-9a-f]+)`, 'm').exec(keyLog)?.[1];
    return found === undefined ? undefined : TrafficKeys.of(suite, Buffer.from(found, 'hex'));
  };
  const stages = [secret('HANDSHAKE_TRAFFIC_SECRET'), secret('TRAFFIC_SECRET_0')];
  const alerts: number[] = [];
  const content: Buffer[] = [];
  const carried: Carried[] = [];
  let offset = 0;
  let stage = 0;
  let sequence = 0;
  for (const [record, { type, version, content: encrypted }] of records.entries()) {
    if (type !== 23) continue;
    const header = { type, version, length: encrypted.length };
    let inner = stages[stage]?.open(header, encrypted, sequence);
    if (!inner && stage === 0) {
      stage++;
      sequence = 0;
      inner = stages[stage]?.open(header, encrypted, sequence);
    }
    if (!inner) {
      // The last record may have been cut.
      break;
    }
    sequence++;
    if (inner.type === 23) {
      const { length } = inner.content;
      content.push(inner.content);
      if (length > 0) carried.push({ record, offset, length });
      offset += length;
    } else if (inner.type === 21) alerts.push(inner.content.readUInt8(1));
  }
  return { plaintext: Buffer.concat(content), carried, alerts };
}

/** Records that are kept of each side, as many of the first ones as of the last ones. */
const KEPT = 64;

/**
 * Compares the records that carried a message or frame.
 *
 * @param carried of its side; undefined for cleartext
 * @param isLater whether more records came since
 */
export function rangeDifferences(
  place: string,
  said: unknown,
  [offset, length]: readonly [offset: number, length: number],
  carried: readonly Carried[] | undefined,
  isLater = false,
): string[] {
  const indexOf = (byte: number): number =>
    carried?.findIndex((each) => byte >= each.offset && byte < each.offset + each.length) ?? -1;
  const indexes = [indexOf(offset), indexOf(offset + Math.max(1, length) - 1)];
  const [first, last] = indexes.map((index) => carried?.[index]?.record);
  const count = carried?.length ?? 0;
  const isKept = indexes.every((index) => index >= 0 && (index < KEPT || index >= count - KEPT));
  if (isLater && said === undefined && !isKept) return [];
  return differencesOf(
    `${place}, records`,
    said,
    isKept || isLater ? range(first, last) : undefined,
  );
}

function range(first: number | undefined, last: number | undefined): object | undefined {
  return first === undefined || last === undefined ? undefined : { first, last };
}
