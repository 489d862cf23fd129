import {
  parseExtensions,
  readExtension,
  type ExtensionContents,
  type Extension,
} from './extensions.ts';
import { ByteReader } from '../byte-reader.ts';
import { HandshakeType } from './handshake-reader.ts';
import { ContentType, RecordSplitter } from './record.ts';

const RANDOM = 32;
const MAX_SESSION_ID = 32;

/**
 * A parsed ClientHello (RFC 9846 4.2.2), in the client's order. Code points are numbers as sent, including GREASE (RFC
 * 8701) and unknown ones.
 */
export interface ClientHello extends ExtensionContents {
  readonly legacyVersion: number;
  readonly random: Uint8Array;
  /** `legacy_session_id`; empty without one. */
  readonly sessionId: Uint8Array;
  readonly cipherSuites: readonly number[];
  readonly compressionMethods: readonly number[];
  readonly extensions: readonly Extension[];
}

/**
 * Parses a ClientHello.
 *
 * @param records the bytes on the wire: complete handshake records with headers
 * @returns undefined unless the bytes are exactly one ClientHello. A malformed extension is listed, but its content is
 * treated as not sent.
 */
export function parseClientHello(records: Uint8Array): ClientHello | undefined {
  const message = new ByteReader(handshakeBytes(records));
  if (message.uint(1) !== HandshakeType.clientHello) return undefined;
  const body = message.vector(3);
  return message.failed ? undefined : parseClientHelloBody(body);
}

/** @param bytes of the handshake message, without its header */
export function parseClientHelloBody(bytes: Uint8Array): ClientHello | undefined {
  const body = new ByteReader(bytes);
  const legacyVersion = body.uint(2);
  const random = body.bytes(RANDOM);
  const sessionId = body.vector(1);
  const cipherSuites = body.list(2, (suites) => suites.uint(2));
  const compressionMethods = [...body.vector(1)];
  // Before TLS 1.3, a ClientHello may end without extensions (RFC 5246 7.4.1.2).
  const extensions = body.atEnd ? [] : body.list(2, readExtension);

  if (!body.complete || sessionId.length > MAX_SESSION_ID) return undefined;
  return {
    legacyVersion,
    random,
    sessionId,
    cipherSuites,
    compressionMethods,
    extensions,
    ...parseExtensions(extensions),
  };
}

/** Joins the contents of records (RFC 9846 5.1); empty if one is truncated or of another type. */
function handshakeBytes({ buffer, byteOffset, length }: Uint8Array): Uint8Array {
  const splitter = new RecordSplitter();
  const records = splitter.push(Buffer.from(buffer, byteOffset, length));
  const isHandshake = records.every(({ type }) => type === ContentType.handshake);
  if (!isHandshake || !splitter.isComplete) return new Uint8Array(0);
  const [first] = records;
  // Most ClientHellos are one record, which is not copied.
  return records.length === 1 && first
    ? first.content
    : Buffer.concat(records.map(({ content }) => content));
}
