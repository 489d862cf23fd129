import type { TLSSocket } from 'node:tls';

/** The certificates a client sent. */
export interface ClientCertificates {
  /** DER, in the order sent; the leaf certificate comes first. */
  readonly chain: readonly Uint8Array[];
  /** If false, the client may have sent intermediates that are not listed. */
  readonly complete: boolean;
}

/** Estimated bytes that intermediates may leak before Node 26, which never frees them. */
const MAX_LEAKED_BYTES = 128 * 1024 * 1024;
/** Measured on Node 20 and 24: 8 KB for a certificate of 0.3 KB, 230 KB for one of 6 KB. */
const LEAKED_PER_CERTIFICATE = 8 * 1024;
const LEAKED_PER_BYTE = 32;

/**
 * Reads the certificates clients sent. `getPeerCertificate(true)` does not return them: it completes the
 * chain from the CA bundle and omits certificates outside the chain.
 *
 * `getPeerX509Certificate()` returns them once: before Node 26 it removes the intermediates from
 * OpenSSL's list, so later callers do not see them, and leaks them.
 */
export class ClientCertificateReader {
  readonly #maxLeaked: number;
  #leaked = 0;

  /** @param maxLeaked estimated bytes; once they have leaked, only leaf certificates are read */
  constructor(maxLeaked = MAX_LEAKED_BYTES) {
    this.#maxLeaked = maxLeaked;
  }

  /** Call once per connection, at the end of the handshake, before any other reader. */
  read(socket: TLSSocket): ClientCertificates {
    // A session ticket only contains the leaf certificate (SSL_SESSION_ASN1 of OpenSSL).
    if (socket.isSessionReused() || this.#leaked >= this.#maxLeaked) return leafOnly(socket);
    const chain = sentChain(socket);
    if (chain.length > 1 && sentChain(socket).length === 1) {
      for (const { length } of chain.slice(1)) {
        this.#leaked += LEAKED_PER_CERTIFICATE + LEAKED_PER_BYTE * length;
      }
    }
    return { chain, complete: true };
  }
}

function sentChain(socket: TLSSocket): Uint8Array[] {
  const chain: Uint8Array[] = [];
  let certificate = socket.getPeerX509Certificate();
  for (; certificate; certificate = certificate.issuerCertificate) chain.push(certificate.raw);
  return chain;
}

function leafOnly(socket: TLSSocket): ClientCertificates {
  // Despite its type, this is an empty object if there is no certificate.
  const { raw }: { readonly raw?: Buffer } = socket.getPeerCertificate();
  return raw ? { chain: [raw], complete: false } : { chain: [], complete: true };
}
