import { createHash } from 'node:crypto';
import { ByteReader } from '../../wire/byte-reader.ts';
import type { ClientHello } from '../../wire/tls/client-hello.ts';

/** Length and hash of a ticket or session id, by which connections are matched. */
export interface TicketTrace {
  /** Length in bytes. */
  readonly length: number;
  /** The first 32 hexadecimal digits of SHA-256 of the ticket or session id. */
  readonly hash: string;
}

export interface IssuedTicket extends TicketTrace {
  /** Lifetime in seconds. */
  readonly lifetime: number;
}

/** What one ClientHello offers for resumption. */
export interface ResumptionOffer {
  /** undefined if empty. In TLS 1.3 it is random and has no meaning (RFC 9846 4.2.2). */
  readonly sessionId: TicketTrace | undefined;
  /** The session_ticket extension (RFC 5077); undefined if it is missing or empty. */
  readonly ticket: TicketTrace | undefined;
  /** Identities of pre_shared_key, in order: in TLS 1.3 they are tickets. */
  readonly identities: readonly TicketTrace[];
  readonly identitiesLeftOut: number;
  readonly earlyData: boolean;
}

const MAX_IDENTITIES = 16;

export function resumptionOffer(hello: ClientHello): ResumptionOffer {
  const { sessionId, sessionTicket, pskIdentities = [], earlyData } = hello;
  return {
    sessionId: ticketTrace(sessionId),
    ticket: sessionTicket && ticketTrace(sessionTicket),
    identities: pskIdentities
      .slice(0, MAX_IDENTITIES)
      .flatMap((identity) => ticketTrace(identity) ?? []),
    identitiesLeftOut: Math.max(0, pskIdentities.length - MAX_IDENTITIES),
    earlyData,
  };
}

/** Parses a NewSessionTicket of TLS 1.2 (RFC 5077 3.3) or 1.3 (RFC 9846 4.7.1); undefined if invalid or empty. */
export function parseSessionTicket(body: Uint8Array, isTls13: boolean): IssuedTicket | undefined {
  const reader = new ByteReader(body);
  const lifetime = reader.uint(4);
  if (isTls13) {
    reader.uint(4);
    reader.vector(1);
  }
  const ticket = ticketTrace(reader.vector(2));
  if (isTls13) reader.vector(2);
  return ticket && reader.complete ? { ...ticket, lifetime } : undefined;
}

/** Length and hash of a ticket or session id; undefined if it is empty. */
function ticketTrace(bytes: Uint8Array): TicketTrace | undefined {
  if (bytes.length === 0) return undefined;
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
  return { length: bytes.length, hash };
}
