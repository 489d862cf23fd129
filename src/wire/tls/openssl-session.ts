import { ByteReader } from '../byte-reader.ts';

/** Tags of DER (X.690 8.1.2). */
const SEQUENCE = 0x30;
const INTEGER = 0x02;
const OCTET_STRING = 0x04;
/** Index of `session_id`, after two version numbers and the cipher suite. */
const SESSION_ID_AT = 3;
/** `kex_group`: [19] EXPLICIT INTEGER. */
const KEX_GROUP = 0xa0 | 19;
/** Bit of a length in the long form (X.690 8.1.3.5). */
const LONG_FORM = 0x80;

interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
}

/**
 * Reads the group of the key exchange from an SSL_SESSION of OpenSSL in DER (`SSL_SESSION_ASN1` in ssl/ssl_asn1.c), of
 * OpenSSL 3.0 or later. Other members are skipped.
 *
 * @returns a NamedGroup, 0 if the session has none, undefined if the session is malformed or does not say
 */
export function groupOfSession(session: Uint8Array): number | undefined {
  for (const member of membersOf(session)) {
    if (member.tag === KEX_GROUP) return readGroup(member.content);
  }
  return undefined;
}

/**
 * Reads the session ID from the same; before TLS 1.3 it is that of the ServerHello.
 *
 * @returns empty if there was none, undefined if the session is malformed
 */
export function sessionIdOfSession(session: Uint8Array): Uint8Array | undefined {
  let at = 0;
  for (const { tag, content } of membersOf(session)) {
    if (at++ === SESSION_ID_AT) return tag === OCTET_STRING ? content : undefined;
  }
  return undefined;
}

/** The members of a session, up to one that is truncated. */
function* membersOf(session: Uint8Array): Generator<Element> {
  const outer = new ByteReader(session);
  const sequence = readElement(outer);
  if (sequence?.tag !== SEQUENCE || !outer.complete) return;
  const members = new ByteReader(sequence.content);
  while (!members.atEnd) {
    const member = readElement(members);
    if (!member) return;
    yield member;
  }
}

/** An element with a tag of one byte and a definite length, as DER has them; undefined if it is truncated. */
function readElement(reader: ByteReader): Element | undefined {
  const tag = reader.uint(1);
  const length = readLength(reader);
  if (length === undefined) return undefined;
  const content = reader.bytes(length);
  return reader.failed ? undefined : { tag, content };
}

/** A length of at most 4 bytes (X.690 8.1.3). */
function readLength(reader: ByteReader): number | undefined {
  const first = reader.uint(1);
  if (first < LONG_FORM) return first;
  const size = first - LONG_FORM;
  return size === 1 || size === 2 || size === 3 || size === 4 ? reader.uint(size) : undefined;
}

/** A 16-bit number, which as an INTEGER has a leading zero from 0x8000 (X.690 8.3). */
function readGroup(content: Uint8Array): number | undefined {
  const reader = new ByteReader(content);
  const integer = readElement(reader);
  if (integer?.tag !== INTEGER || !reader.complete) return undefined;
  const number = new ByteReader(integer.content);
  const { length } = integer.content;
  if (length !== 1 && length !== 2 && length !== 3) return undefined;
  const group = number.uint(length);
  return group <= 0xffff ? group : undefined;
}
