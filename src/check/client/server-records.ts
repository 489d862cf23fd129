import { TrafficKeys, type InnerRecord } from '../../inspect/tls/traffic-keys.ts';
import { cipherSuites } from '../../wire/tls/cipher-suites.ts';
import { alertName } from '../../wire/tls/names.ts';
import { ContentType, RecordSplitter, TlsVersion, type RawRecord } from '../../wire/tls/record.ts';
import type { TlsOptions } from './connect.ts';

/** Number of the last records that are kept. */
const KEPT = 3;
/** Most times that a server is expected to update its keys (RFC 9846 7.2). */
const MAX_UPDATES = 8;
const CLOSE_NOTIFY = 0;

/** The last TLS records that a server has sent. */
export class ServerRecords {
  readonly #splitter = new RecordSplitter();
  #last: readonly RawRecord[] = [];
  /** Records of the type `application_data`, the type of all encrypted records in TLS 1.3. */
  #encrypted = 0;
  #secret: Buffer | undefined;

  /** Options for the connection whose records are to be read. */
  get listeners(): Required<Pick<TlsOptions, 'onReceived' | 'onKeyLog'>> {
    return {
      onReceived: (piece) => this.#push(piece),
      onKeyLog: (line) => {
        const [, secret] = /^SERVER_TRAFFIC_SECRET_0 [\da-f]+ ([\da-f]+)\s*$/i.exec(line) ?? [];
        if (secret !== undefined) this.#secret = Buffer.from(secret, 'hex');
      },
    };
  }

  /** The last records, as they were sent. */
  get last(): readonly RawRecord[] {
    return this.#last;
  }

  /**
   * The alert in the last record; undefined if it has none. TLS 1.3 pads records as the server likes (RFC 9846 5.4),
   * so only decryption tells. In TLS 1.2 the type is in cleartext, and an alert that ends a connection without an
   * error is close_notify.
   *
   * @param suite name of the cipher suite of TLS 1.3; undefined with an older version
   */
  alertAtEnd(suite: string | undefined): string | undefined {
    const last = this.#last.at(-1);
    if (!last) return undefined;
    if (suite === undefined)
      return last.type === ContentType.alert ? alertName(CLOSE_NOTIFY) : undefined;
    const inner = this.#opened(last, suite);
    if (inner?.type !== ContentType.alert) return undefined;
    return alertName(inner.content[1] ?? 0);
  }

  #push(piece: Buffer): void {
    const records = this.#splitter.push(piece);
    this.#encrypted += records.filter(({ type }) => type === ContentType.applicationData).length;
    this.#last = [...this.#last, ...records].slice(-KEPT);
  }

  /**
   * Decrypts the last record. How many records were encrypted with the handshake keys, and how often the keys were
   * updated, is not known, so the keys and the sequence number are found by trying.
   */
  #opened({ type, content }: RawRecord, suite: string): InnerRecord | undefined {
    const [number] = Object.entries(cipherSuites).find(([, name]) => name === suite) ?? [];
    let keys = this.#secret && TrafficKeys.of(Number(number), this.#secret);
    const header = { type, version: TlsVersion.tls12, length: content.length };
    for (let updates = 0; keys && updates <= MAX_UPDATES; updates++) {
      for (let sequence = this.#encrypted - 1; sequence >= 0; sequence--) {
        const inner = keys.open(header, content, sequence);
        if (inner) return inner;
      }
      keys = keys.next();
    }
    return undefined;
  }
}
