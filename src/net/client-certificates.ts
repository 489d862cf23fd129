import type { TLSSocket } from 'node:tls';

/** The certificates that a client has sent. */
export interface ClientCertificates {
  /** In DER and in the order sent, the client's own first. */
  readonly chain: readonly Uint8Array[];
  /** Whether these are all; else others may have been sent with the client's own. */
  readonly complete: boolean;
}

/** Bytes that intermediates may take for good, estimated, on a Node that never frees them. */
const MAX_LEAKED_BYTES = 128 * 1024 * 1024;
/** Measured on Node 20 and 24: 8 KB for a certificate of 0.3 KB, 230 KB for one of 6 KB. */
const LEAKED_PER_CERTIFICATE = 8 * 1024;
const LEAKED_PER_BYTE = 32;

/**
 * Reads the certificates that clients have sent. `getPeerCertificate(true)` does not have them: it
 * completes the chain from the CA bundle, and leaves out what is no part of the chain.
 *
 * `getPeerX509Certificate()` has them, once: before Node 26 it takes the intermediates off OpenSSL's
 * list, so that nobody else sees them, and so that nothing ever frees them.
 */
export class ClientCertificateReader {
  readonly #maxLeaked: number;
  #leaked = 0;

  /** @param maxLeaked bytes that may be lost for good before only the client's own is read */
  constructor(maxLeaked = MAX_LEAKED_BYTES) {
    this.#maxLeaked = maxLeaked;
  }

  /** Call it once for each connection, at the end of the handshake, before anybody else asks. */
  read(socket: TLSSocket): ClientCertificates {
    // A session ticket has the client's own certificate and no others (SSL_SESSION_ASN1 of OpenSSL).
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
  // Without a certificate it is an empty object, whatever its type says.
  const { raw }: { readonly raw?: Buffer } = socket.getPeerCertificate();
  return raw ? { chain: [raw], complete: false } : { chain: [], complete: true };
}
