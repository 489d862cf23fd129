import { Readable } from 'node:stream';
import { calculateJa3, calculateJa4, readTlsClientHello } from 'read-tls-client-hello';

/** The fingerprints of the ClientHello that the bytes begin with, by another's reading. */
export async function fingerprintsOf(sent: Buffer): Promise<{ ja3_hash: string; ja4: string }> {
  const hello = await readTlsClientHello(Readable.from([sent], { objectMode: false }));
  return { ja3_hash: calculateJa3(hello), ja4: calculateJa4(hello) };
}

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const FRAME_HEADER = 9;

/**
 * What Akamai's fingerprint says of the frames before the first HEADERS: SETTINGS and the
 * connection's WINDOW_UPDATE. Read here anew, from the bytes.
 */
export function openingOf(sent: Buffer): string {
  if (sent.toString('latin1', 0, PREFACE.length) !== PREFACE) throw new Error('no preface');
  let at = PREFACE.length;
  let settings = '';
  let update = '00';
  for (;;) {
    const length = sent.readUIntBE(at, 3);
    const type = sent.readUInt8(at + 3);
    const content = sent.subarray(at + FRAME_HEADER, at + FRAME_HEADER + length);
    if (type === 1) return `${settings}|${update}|`;
    if (type === 4 && settings === '') {
      const pairs: string[] = [];
      for (let from = 0; from < length; from += 6) {
        pairs.push(`${content.readUInt16BE(from)}:${content.readUInt32BE(from + 2)}`);
      }
      settings = pairs.join(';');
    }
    if (type === 8 && sent.readUInt32BE(at + 5) === 0) update = String(content.readUInt32BE(0));
    at += FRAME_HEADER + length;
  }
}
