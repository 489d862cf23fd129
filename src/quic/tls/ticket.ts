import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { ByteReader } from '../../wire/byte-reader.ts';
import { uint16s, vector } from '../../wire/byte-writer.ts';
import { isCipherSuite, type CipherSuite } from './cipher-suite.ts';

/** The session in a server's ticket. */
export interface TicketContent {
  readonly suite: CipherSuite;
  /** Milliseconds since the epoch, in whole seconds. */
  readonly expiresAt: number;
  readonly alpn: string;
  /** Empty without one. */
  readonly serverName: string;
  readonly psk: Uint8Array;
}

/** Bytes of the key that all processes of a server share. */
export const TICKET_KEY_LENGTH = 32;
/** Name of the format, as associated data. */
const FORMAT = Buffer.from('wirebin QUIC ticket 1', 'latin1');
const CIPHER = 'aes-256-gcm';
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

/** Encrypts a session with AES-256-GCM: nonce, ciphertext, tag. */
export function sealTicket(key: Uint8Array, content: TicketContent): Buffer {
  const expiry = Buffer.alloc(4);
  expiry.writeUInt32BE(content.expiresAt / 1000);
  const plain = Buffer.concat([
    uint16s([content.suite]),
    expiry,
    vector(1, Buffer.from(content.alpn, 'latin1')),
    vector(2, Buffer.from(content.serverName, 'latin1')),
    vector(1, content.psk),
  ]);
  const nonce = randomBytes(NONCE_LENGTH);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_LENGTH });
  cipher.setAAD(FORMAT);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts a ticket. @returns undefined if it was not sealed with this key */
export function openTicket(key: Uint8Array, ticket: Uint8Array): TicketContent | undefined {
  if (ticket.length < NONCE_LENGTH + TAG_LENGTH) return undefined;
  const nonce = ticket.subarray(0, NONCE_LENGTH);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_LENGTH });
  decipher.setAAD(FORMAT);
  decipher.setAuthTag(ticket.subarray(-TAG_LENGTH));
  const plain = decipher.update(ticket.subarray(NONCE_LENGTH, -TAG_LENGTH));
  try {
    decipher.final();
  } catch {
    return undefined;
  }
  const reader = new ByteReader(plain);
  const suite = reader.uint(2);
  const expiresAt = reader.uint(4) * 1000;
  const alpn = Buffer.from(reader.vector(1)).toString('latin1');
  const serverName = Buffer.from(reader.vector(2)).toString('latin1');
  const psk = reader.vector(1);
  return reader.complete && isCipherSuite(suite)
    ? { suite, expiresAt, alpn, serverName, psk }
    : undefined;
}
