import { vector } from '../byte-writer.ts';

/** ContentType (RFC 8446 5.1). */
export const ContentType = {
  changeCipherSpec: 20,
  alert: 21,
  handshake: 22,
  applicationData: 23,
  heartbeat: 24,
} as const;

/** A handshake message in records of at most so many bytes of content (RFC 8446 5.1). */
export function handshakeRecords(message: Buffer, size: number): Buffer {
  const records: Buffer[] = [];
  for (let at = 0; at < message.length; at += size) {
    records.push(Buffer.of(22, 3, 1), vector(2, message.subarray(at, at + size)));
  }
  return Buffer.concat(records);
}
