import { parseExtensions, type ExtensionContents, type Extension } from './extensions.ts';
import { vectorElements, ByteReader } from '../byte-reader.ts';

const HANDSHAKE = 0x16;
const CLIENT_HELLO = 1;
const RANDOM = 32;
const MAX_SESSION_ID = 32;

/**
 * A ClientHello (RFC 8446 4.1.2) taken apart, in the order the client chose. Code points are
 * numbers as they came, GREASE (RFC 8701) and unknown ones included.
 */
export interface ClientHello extends ExtensionContents {
  readonly legacyVersion: number;
  readonly random: Uint8Array;
  /** Bytes of `legacy_session_id`. */
  readonly sessionIdLength: number;
  readonly cipherSuites: readonly number[];
  readonly compressionMethods: readonly number[];
  readonly extensions: readonly Extension[];
}

/**
 * Takes a ClientHello apart.
 *
 * @param records the bytes on the wire: whole handshake records with their headers
 * @returns undefined for anything that is no ClientHello from its first to its last byte. An
 *   extension whose own content is garbled is listed, and its content counts as not sent.
 */
export function parseClientHello(records: Uint8Array): ClientHello | undefined {
  const message = new ByteReader(handshakeBytes(records));
  if (message.uint(1) !== CLIENT_HELLO) return undefined;
  const body = new ByteReader(message.vector(3));

  const legacyVersion = body.uint(2);
  const random = body.bytes(RANDOM);
  const sessionIdLength = body.vector(1).length;
  const cipherSuites = vectorElements(body.vector(2), (suites) => suites.uint(2));
  const compressionMethods = [...body.vector(1)];
  // Before TLS 1.3 a hello may end here (RFC 5246 7.4.1.2).
  const extensions = body.atEnd ? [] : vectorElements(body.vector(2), readExtension);

  if (message.failed || !body.complete || sessionIdLength > MAX_SESSION_ID) return undefined;
  if (!cipherSuites || !extensions) return undefined;
  return {
    legacyVersion,
    random,
    sessionIdLength,
    cipherSuites,
    compressionMethods,
    extensions,
    ...parseExtensions(extensions),
  };
}

function readExtension(reader: ByteReader): Extension {
  return { id: reader.uint(2), data: reader.vector(2) };
}

/** What the records carry, joined (RFC 8446 5.1); nothing if one is cut or of another type. */
function handshakeBytes(records: Uint8Array): Uint8Array {
  const fragments = vectorElements(records, (reader) => {
    const type = reader.uint(1);
    reader.bytes(2);
    return { type, content: reader.vector(2) };
  });
  if (!fragments?.every(({ type }) => type === HANDSHAKE)) return new Uint8Array(0);
  const [first] = fragments;
  return fragments.length === 1 && first
    ? first.content
    : Buffer.concat(fragments.map(({ content }) => content));
}
