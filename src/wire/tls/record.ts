import { UnitSplitter, type UnitFraming } from '../unit-reader.ts';

/** ContentType (RFC 9846 5.1). */
export const ContentType = {
  changeCipherSpec: 20,
  alert: 21,
  handshake: 22,
  applicationData: 23,
  heartbeat: 24,
} as const;

/** ProtocolVersion (RFC 9846 4.3.1). */
export const TlsVersion = { tls10: 0x0301, tls11: 0x0302, tls12: 0x0303, tls13: 0x0304 } as const;

/** Bytes of a record header (RFC 9846 5.1). */
export const RECORD_HEADER_LENGTH = 5;

export const RECORDS: UnitFraming = {
  headerLength: RECORD_HEADER_LENGTH,
  lengthOf: (bytes, at) => bytes.readUInt16BE(at + 3),
};

/** A record header (RFC 9846 5.1). */
export interface RecordHeader {
  readonly type: number;
  readonly version: number;
  /** Bytes of the content. */
  readonly length: number;
}

export function readRecordHeader(bytes: Buffer, at: number): RecordHeader {
  return {
    type: bytes.readUInt8(at),
    version: bytes.readUInt16BE(at + 1),
    length: RECORDS.lengthOf(bytes, at),
  };
}

export function recordHeader({ type, version, length }: RecordHeader): Buffer {
  return Buffer.of(type, version >> 8, version & 0xff, length >> 8, length & 0xff);
}

/** A record as sent or received, valid or not. */
export interface RawRecord {
  readonly type: number;
  readonly content: Buffer;
}

/** Splits pieces of any size into complete records. */
export class RecordSplitter extends UnitSplitter<RawRecord> {
  constructor() {
    super(RECORDS, (header, content) => ({ type: readRecordHeader(header, 0).type, content }));
  }
}

/** Serializes a record with the version of TLS 1.0, like the first record of a connection (RFC 9846 5.1). */
export function tlsRecord(type: number, content: Uint8Array): Buffer {
  const header = recordHeader({ type, version: TlsVersion.tls10, length: content.length });
  return Buffer.concat([header, content]);
}

/** A fatal alert (RFC 9846 6). @param description AlertDescription */
export function fatalAlert(description: number): Buffer {
  return tlsRecord(ContentType.alert, Buffer.of(2, description));
}

/** A handshake message, divided into records of at most so many bytes of content (RFC 9846 5.1). */
export function handshakeRecords(message: Uint8Array, size: number): Buffer {
  const records: Buffer[] = [];
  for (let at = 0; at < message.length; at += size) {
    records.push(tlsRecord(ContentType.handshake, message.subarray(at, at + size)));
  }
  return Buffer.concat(records);
}
