/** The longest ClientHello that is kept and handed on, in bytes on the wire. */
export const MAX_CLIENT_HELLO = 64 * 1024;

/** Records that a hello may be cut into: each time one more has come, all are looked at again. */
const MAX_RECORDS = 4096;
const RECORD_HEADER = 5;
const HANDSHAKE_HEADER = 4;

/**
 * How many bytes of the wire the ClientHello at the start of `bytes` takes, as far as they tell:
 * the hello is there in full once `bytes.length` has reached the answer.
 *
 * A hello can be cut into several records (RFC 8446 5.1) and each into several segments, so the
 * answer grows while record headers come into view. Bytes that are no handshake record end the
 * search at once, and so do too many records: what they are is for the TLS stack to judge.
 */
export function clientHelloLength(bytes: Uint8Array): number {
  let offset = 0;
  let handshake = 0;
  let wanted = HANDSHAKE_HEADER;
  let records = 0;
  const header: number[] = [];
  while (handshake < wanted) {
    const type = bytes[offset];
    if (type === undefined) return offset + RECORD_HEADER;
    if (type !== 0x16) return offset;
    const high = bytes[offset + 3];
    const low = bytes[offset + 4];
    if (high === undefined || low === undefined) return offset + RECORD_HEADER;
    const length = (high << 8) | low;
    const start = offset + RECORD_HEADER;
    const end = start + length;
    if (++records > MAX_RECORDS) return end;
    for (let at = start; at < end && header.length < HANDSHAKE_HEADER; at++) {
      const byte = bytes[at];
      if (byte === undefined) return end;
      header.push(byte);
    }
    const [messageType, l1, l2, l3] = header;
    if (l1 !== undefined && l2 !== undefined && l3 !== undefined) {
      if (messageType !== 1) return end;
      wanted = HANDSHAKE_HEADER + ((l1 << 16) | (l2 << 8) | l3);
    }
    handshake += length;
    offset = end;
  }
  return offset;
}
