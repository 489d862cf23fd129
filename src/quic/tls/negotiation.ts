import { extension } from '../../wire/tls/extension-writer.ts';
import { ExtensionType } from '../../wire/tls/extensions.ts';
import { uint16s } from '../../wire/byte-writer.ts';
import { CIPHER_SUITES, suiteHash, type CipherSuite } from './cipher-suite.ts';
import type { ClientOffer } from './client-offer.ts';
import { alertError } from './failure.ts';
import { answerKeyExchange, GROUPS, type Group, type KeyExchangeAnswer } from './key-exchange.ts';
import { isSame, pskBinder, type Transcript } from './key-schedule.ts';
import { openTicket, type TicketContent } from './ticket.ts';

/** A session that a server resumes. */
export interface Resumption {
  /** Index of the identity. */
  readonly index: number;
  readonly ticket: TicketContent;
}

/** Tickets that are tried; further ones are ignored. */
const MAX_TICKETS = 4;

/** What a server selects from an offer. */
export interface Selection {
  readonly suite: CipherSuite;
  readonly alpn: string;
  readonly group: Group;
  /** The client's key exchange value; undefined if a HelloRetryRequest has to ask for it. */
  readonly share: Uint8Array | undefined;
}

/**
 * Selects the first of the server's suites, groups and protocols that the client offers. A group with a key share comes
 * before others, since it saves a round trip.
 *
 * @param protocols ALPN names of the server
 */
export function negotiate(offer: ClientOffer, protocols: readonly string[]): Selection {
  const { groups, shares } = offer;
  const alpn = protocols.find((each) => offer.alpn.includes(each));
  if (alpn === undefined) {
    const reason = 'no application protocol in common';
    throw alertError('no_application_protocol', 'RFC 9001 8.1', reason);
  }
  const suite = CIPHER_SUITES.find((each) => offer.hello.cipherSuites.includes(each));
  const group =
    GROUPS.find((each) => shares.has(each)) ?? GROUPS.find((each) => groups.includes(each));
  if (suite === undefined || group === undefined) {
    const reason = 'no cipher suite or no group in common';
    throw alertError('handshake_failure', 'RFC 9846 4.2.1', reason);
  }
  return { suite, alpn, group, share: shares.get(group) };
}

/** Checks that a second ClientHello follows the HelloRetryRequest (RFC 9846 4.2.2, 4.2.4). */
export function checkSecondHello(
  { hello }: ClientOffer,
  selected: Selection,
  asked: Selection,
): void {
  const isAnswer =
    selected.suite === asked.suite && selected.group === asked.group && selected.share;
  if (!isAnswer || hello.earlyData) {
    const reason = 'the second ClientHello does not follow the HelloRetryRequest';
    throw alertError('illegal_parameter', 'RFC 9846 4.2.2', reason);
  }
}

/** @throws HandshakeError if the client's share is invalid */
export function answerShare(group: Group, share: Uint8Array): KeyExchangeAnswer {
  const answer = answerKeyExchange(group, share);
  if (!answer)
    throw alertError('illegal_parameter', 'RFC 9846 4.3.8', 'the key share is not valid');
  return answer;
}

/** key_share of a ServerHello, or with a group only that of a HelloRetryRequest. */
export function keyShareExtension(group: Group, share?: Uint8Array): Buffer {
  const selected = uint16s([group]);
  const length = uint16s([share?.length ?? 0]);
  return extension(
    ExtensionType.keyShare,
    share ? Buffer.concat([selected, length, share]) : selected,
  );
}

/**
 * The session that can be resumed: of the same suite, protocol and server name, and not expired.
 *
 * @param transcript the messages before this ClientHello
 * @param now milliseconds since the epoch
 * @throws HandshakeError if its binder is wrong
 */
export function chooseSession(
  { psks, hello }: ClientOffer,
  selected: Selection,
  ticketKey: Uint8Array,
  transcript: Transcript,
  now: number,
): Resumption | undefined {
  if (!psks) return undefined;
  for (const [index, identity] of psks.identities.slice(0, MAX_TICKETS).entries()) {
    const ticket = openTicket(ticketKey, identity);
    const isUsable =
      ticket?.suite === selected.suite &&
      ticket.alpn === selected.alpn &&
      ticket.serverName === (hello.serverName ?? '') &&
      ticket.expiresAt > now;
    if (!isUsable) continue;
    const hash = suiteHash(ticket.suite);
    const expected = pskBinder(hash, ticket.psk, transcript.digest(psks.truncatedHello));
    // Only the binder of the selected identity is verified (RFC 9846 4.3.11).
    if (!isSame(expected, psks.binders[index] ?? Buffer.alloc(0)))
      throw alertError('decrypt_error', 'RFC 9846 4.3.11', 'the binder of the PSK is wrong');
    return { index, ticket };
  }
  return undefined;
}
