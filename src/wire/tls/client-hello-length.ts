import { HANDSHAKE_HEADER_LENGTH, HandshakeType } from './handshake-reader.ts';
import { ContentType, RECORD_HEADER_LENGTH } from './record.ts';

/** Maximum bytes of a ClientHello on the wire. */
export const MAX_CLIENT_HELLO = 64 * 1024;

/** Maximum records of a ClientHello, because each further one causes all of them to be scanned again. */
const MAX_RECORDS = 4096;

/**
 * How many bytes on the wire the ClientHello at the start of `bytes` takes, as far as is known: it is complete when
 * `bytes.length` reaches the result.
 *
 * A ClientHello can span several records (RFC 9846 5.1), and each record several segments, so the result grows as
 * record headers arrive. Stops at a record that is no handshake record, and after too many records: the TLS stack
 * handles those.
 */
export function clientHelloLength(bytes: Uint8Array): number {
  let offset = 0;
  let handshake = 0;
  let messageLength = HANDSHAKE_HEADER_LENGTH;
  let records = 0;
  const header: number[] = [];
  while (handshake < messageLength) {
    const type = bytes[offset];
    if (type === undefined) return offset + RECORD_HEADER_LENGTH;
    if (type !== ContentType.handshake) return offset;
    const high = bytes[offset + 3];
    const low = bytes[offset + 4];
    if (high === undefined || low === undefined) return offset + RECORD_HEADER_LENGTH;
    const length = (high << 8) | low;
    const start = offset + RECORD_HEADER_LENGTH;
    const end = start + length;
    if (++records > MAX_RECORDS) return end;
    for (let at = start; at < end && header.length < HANDSHAKE_HEADER_LENGTH; at++) {
      const byte = bytes[at];
      if (byte === undefined) return end;
      header.push(byte);
    }
    const [messageType, l1, l2, l3] = header;
    if (l1 !== undefined && l2 !== undefined && l3 !== undefined) {
      if (messageType !== HandshakeType.clientHello) return end;
      messageLength = HANDSHAKE_HEADER_LENGTH + ((l1 << 16) | (l2 << 8) | l3);
    }
    handshake += length;
    offset = end;
  }
  return offset;
}
