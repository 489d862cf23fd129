import { violation, type Violation } from '../../wire/quic/violation.ts';
import { ReceiveBuffer } from './receive-buffer.ts';
import { SendBuffer } from './send-buffer.ts';

/** Maximum bytes ahead of the next one to read. The minimum is 4096 (RFC 9000 7.5). */
const MAX_AHEAD = 64 * 1024;

/** The CRYPTO frames of one encryption level, in both directions (RFC 9000 19.6). They have neither flow control nor an end. */
export class CryptoStream {
  readonly outgoing = new SendBuffer();
  readonly #incoming = new ReceiveBuffer();

  receive(offset: number, data: Buffer): Violation | undefined {
    const ahead = offset + data.length - this.#incoming.offset;
    const wrong =
      ahead > MAX_AHEAD
        ? violation('RFC 9000 7.5', `CRYPTO ${ahead} bytes ahead`)
        : this.#incoming.receive(offset, data);
    return wrong && { ...wrong, code: 'CRYPTO_BUFFER_EXCEEDED' };
  }

  /** The next bytes of handshake messages in order; undefined if there are none yet. */
  read(): Buffer | undefined {
    return this.#incoming.read();
  }
}
