import type { TLSSocket } from 'node:tls';

export interface ClientCertificates {
  /** Certificates in DER, in the order sent. The first one is the client's own. */
  readonly chain: readonly Uint8Array[];
  /** False if intermediate certificates may be missing from the list. */
  readonly complete: boolean;
}

/** Maximum estimated leak of intermediate certificates, in bytes: before Node 26, they are never freed. */
const MAX_LEAKED_BYTES = 128 * 1024 * 1024;
/**
 * Estimated leak of a certificate, in bytes: a fixed part, and a part for each of its bytes. Measured on Node 20 and
 * 24: 8 KB for 0.3 KB, 230 KB for 6 KB.
 */
const LEAKED_PER_CERTIFICATE = 8 * 1024;
const LEAKED_PER_BYTE = 32;

/**
 * Reads the certificates that clients sent. `getPeerCertificate(true)` does not return them: it completes the chain
 * from the CA bundle, and omits certificates outside of it. `getPeerX509Certificate()` does so only once before Node
 * 26: it removes the intermediates from OpenSSL's list and leaks them.
 */
export class ClientCertificateReader {
  readonly #maxLeaked: number;
  #leaked = 0;

  /** @param maxLeaked estimated leak in bytes after which intermediate certificates are no longer read */
  constructor(maxLeaked = MAX_LEAKED_BYTES) {
    this.#maxLeaked = maxLeaked;
  }

  /** Call once per connection, at the end of the handshake, before any other reader. */
  read(socket: TLSSocket): ClientCertificates {
    // A session ticket contains only the client's own certificate (SSL_SESSION_ASN1 of OpenSSL).
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
  // Despite its type, the result is an empty object if there is no certificate.
  const { raw }: { readonly raw?: Buffer } = socket.getPeerCertificate();
  return raw ? { chain: [raw], complete: false } : { chain: [], complete: true };
}
