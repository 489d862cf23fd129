import { createCipheriv, createHmac } from 'node:crypto';
import { ContentType, recordHeader, TlsVersion } from '../../src/wire/tls/record.ts';
import { TrafficKeys, type InnerRecord } from '../../src/inspect/tls/traffic-keys.ts';

/** The cipher suite of a gateway whose records are sealed anew. */
export const RESEALED = { name: 'TLS_AES_128_GCM_SHA256', number: 0x1301 } as const;
const TAG = 16;

/** Opens and seals the records of TLS 1.3 that a server sends, by its key log. */
export class Resealing {
  readonly #secrets: Buffer[] = [];

  keyLog(line: string): void {
    const [, secret] = /^SERVER_TRAFFIC_SECRET_0 [\da-f]+ ([\da-f]+)\s*$/i.exec(line) ?? [];
    if (secret !== undefined) this.#secrets.push(Buffer.from(secret, 'hex'));
  }

  /**
   * @param record with its header
   * @param before number of encrypted records before it on its connection
   * @param change makes the new plaintext with its type and padding (RFC 9846 5.2); undefined drops the record
   */
  reseal(
    record: Buffer,
    before: number,
    change: (inner: InnerRecord) => Buffer | undefined,
  ): Buffer | undefined {
    const content = record.subarray(5);
    const header = headerFor(content.length);
    // The first records have the handshake keys, and the number of connections is not known.
    for (const secret of this.#secrets) {
      for (let sequence = 0; sequence <= before; sequence++) {
        const inner = TrafficKeys.of(RESEALED.number, secret)?.open(header, content, sequence);
        if (!inner) continue;
        const plaintext = change(inner);
        return plaintext && sealed(secret, sequence, plaintext);
      }
    }
    return record;
  }
}

const headerFor = (length: number) =>
  ({ type: ContentType.applicationData, version: TlsVersion.tls12, length }) as const;

/** RFC 9846 5.2, 7.3. */
function sealed(secret: Buffer, sequence: number, plaintext: Buffer): Buffer {
  const iv = expanded(secret, 'iv', 12);
  iv.writeUInt32BE((iv.readUInt32BE(8) ^ sequence) >>> 0, 8);
  const cipher = createCipheriv('aes-128-gcm', expanded(secret, 'key', 16), iv);
  const header = recordHeader(headerFor(plaintext.length + TAG));
  cipher.setAAD(header);
  return Buffer.concat([header, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

function expanded(secret: Buffer, name: string, length: number): Buffer {
  const label = Buffer.from(`tls13 ${name}`);
  const info = Buffer.concat([Buffer.of(0, length, label.length), label, Buffer.of(0, 1)]);
  return Buffer.from(createHmac('sha256', secret).update(info).digest().subarray(0, length));
}
