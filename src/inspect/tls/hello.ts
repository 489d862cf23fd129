import { createHash } from 'node:crypto';
import { ByteReader, vectorElements } from '../../wire/byte-reader.ts';
import { ExtensionType } from '../../wire/tls/extensions.ts';
import { parseClientHello } from '../../wire/tls/client-hello.ts';

/** A ticket or session identifier: what it is traced by. */
export interface TicketTrace {
  /** In bytes. */
  readonly length: number;
  /** The first 32 hexadecimal digits of its SHA-256. */
  readonly hash: string;
}

/** A ticket that the server issued. */
export interface IssuedTicket extends TicketTrace {
  /** In seconds. */
  readonly lifetime: number;
}

/** What one ClientHello offers to resume. */
export interface ResumptionOffer {
  /** Undefined if empty. In TLS 1.3 it is random and has no meaning (RFC 8446 4.1.2). */
  readonly sessionId: TicketTrace | undefined;
  /** The session_ticket extension (RFC 5077); undefined if not sent or empty. */
  readonly ticket: TicketTrace | undefined;
  /** Of pre_shared_key, in order; in TLS 1.3 these are the tickets. */
  readonly identities: readonly TicketTrace[];
  readonly identitiesLeftOut: number;
  readonly earlyData: boolean;
}

/** What a ServerHello selects. */
export interface ServerSelection {
  readonly version: number;
  readonly cipherSuite: number;
  readonly sessionId: TicketTrace | undefined;
  /** The index of the identity that is resumed; undefined if none. */
  readonly selectedIdentity: number | undefined;
  readonly isHelloRetryRequest: boolean;
}

const RANDOM = 32;
/** SHA-256 of `HelloRetryRequest` (RFC 8446 4.1.3). */
const RETRY_RANDOM = createHash('sha256').update('HelloRetryRequest').digest();
const MAX_IDENTITIES = 16;

/** @param body without the handshake header; undefined if it is not a valid ClientHello */
export function parseResumptionOffer(body: Buffer): ResumptionOffer | undefined {
  const hello = parseClientHello(handshakeRecord(body));
  if (!hello) return undefined;
  const reader = new ByteReader(body);
  reader.bytes(2 + RANDOM);
  const extension = (type: number): Uint8Array =>
    hello.extensions.find(({ id }) => id === type)?.data ?? new Uint8Array(0);
  const psk = new ByteReader(extension(ExtensionType.preSharedKey));
  const identities = vectorElements(psk.vector(2), (identity) => {
    const bytes = identity.vector(2);
    identity.bytes(4);
    return bytes;
  });
  return {
    sessionId: traceOf(reader.vector(1)),
    ticket: traceOf(extension(ExtensionType.sessionTicket)),
    identities: (identities ?? [])
      .slice(0, MAX_IDENTITIES)
      .flatMap((identity) => traceOf(identity) ?? []),
    identitiesLeftOut: Math.max(0, (identities?.length ?? 0) - MAX_IDENTITIES),
    earlyData: hello.earlyData,
  };
}

/** The message in records, as `parseClientHello` reads it. */
function handshakeRecord(body: Buffer): Buffer {
  const message = Buffer.concat([Buffer.of(1, 0, 0, 0), body]);
  message.writeUIntBE(body.length, 1, 3);
  const records: Buffer[] = [];
  for (let at = 0; at < message.length; at += MAX_FRAGMENT) {
    const fragment = message.subarray(at, at + MAX_FRAGMENT);
    records.push(Buffer.of(22, 3, 1, fragment.length >> 8, fragment.length & 0xff), fragment);
  }
  return Buffer.concat(records);
}

const MAX_FRAGMENT = 2 ** 14;

/** @param body without the handshake header; undefined if it is not a valid ServerHello */
export function parseServerHello(body: Uint8Array): ServerSelection | undefined {
  const reader = new ByteReader(body);
  const legacyVersion = reader.uint(2);
  const random = reader.bytes(RANDOM);
  const sessionId = reader.vector(1);
  const cipherSuite = reader.uint(2);
  reader.uint(1);
  // Before TLS 1.3, a ServerHello may end here (RFC 5246 7.4.1.3).
  const extensions = reader.atEnd
    ? []
    : vectorElements(reader.vector(2), (each) => ({ id: each.uint(2), data: each.vector(2) }));
  if (!reader.complete || !extensions) return undefined;
  const uint16 = (type: number): number | undefined => {
    const data = extensions.find(({ id }) => id === type)?.data;
    return data && new ByteReader(data).uint(2);
  };
  return {
    version: uint16(ExtensionType.supportedVersions) ?? legacyVersion,
    cipherSuite,
    sessionId: traceOf(sessionId),
    selectedIdentity: uint16(ExtensionType.preSharedKey),
    isHelloRetryRequest: RETRY_RANDOM.equals(random),
  };
}

/** A NewSessionTicket of TLS 1.2 (RFC 5077 3.3) or 1.3 (RFC 8446 4.6.1); undefined if invalid or empty. */
export function parseSessionTicket(body: Uint8Array, isTls13: boolean): IssuedTicket | undefined {
  const reader = new ByteReader(body);
  const lifetime = reader.uint(4);
  if (isTls13) {
    reader.uint(4);
    reader.vector(1);
  }
  const ticket = traceOf(reader.vector(2));
  if (isTls13) reader.vector(2);
  return ticket && reader.complete ? { ...ticket, lifetime } : undefined;
}

/** Undefined if there are no bytes. */
function traceOf(bytes: Uint8Array): TicketTrace | undefined {
  if (bytes.length === 0) return undefined;
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
  return { length: bytes.length, hash };
}
