import { randomBytes, type X509Certificate } from 'node:crypto';
import type { Violation } from '../../wire/quic/violation.ts';
import { HandshakeType } from '../../wire/tls/handshake-reader.ts';
import {
  parseChain,
  publicKeyOf,
  verifyChain,
  type CertificateCheck,
} from './certificate-chain.ts';
import { CIPHER_SUITES, suiteHash, type CipherSuite } from './cipher-suite.ts';
import { clientHello, type SentHello } from './client-hello.ts';
import { alertError, violationError, type HandshakeFailure } from './failure.ts';
import { HandshakeFlow, type HandshakeEvents, type Negotiated } from './handshake.ts';
import { CLIENT, type ClientState, type ClientStep } from './handshake-state.ts';
import { Group, GROUPS, startKeyExchange, type KeyExchange } from './key-exchange.ts';
import {
  isSame,
  KeySchedule,
  ticketPsk,
  Transcript,
  verifyData,
  type TrafficSecrets,
} from './key-schedule.ts';
import type { Level, Message } from './message-reader.ts';
import {
  certificate,
  handshakeMessage,
  readCertificate,
  readCertificateRequest,
  readCertificateVerify,
  readNewSessionTicket,
} from './messages.ts';
import { readServerExtensions, readServerHello, type ServerSelection } from './server-response.ts';
import { MAX_TICKET_LIFETIME, offeredPsk, type Session } from './session.ts';
import { isSignedBy, schemesOf } from './signatures.ts';

export interface ClientEvents extends HandshakeEvents {
  /**
   * The server's transport parameters, which are not authenticated before `complete`.
   *
   * @returns which rule they break
   */
  transportParameters(server: Uint8Array): Violation | undefined;
  /** A ticket, for a later connection to the same server. */
  session(session: Session): void;
}

export interface ClientHandshakeOptions {
  /** server_name, which is a DNS name; undefined sends none. */
  readonly serverName: string | undefined;
  /** Not empty, the preferred one first. */
  readonly alpn: readonly string[];
  readonly transportParameters: Uint8Array;
  /** undefined accepts any certificate. */
  readonly verification: CertificateCheck | undefined;
  /** Of an earlier connection. Not offered if it is for another server name, or expired. */
  readonly session?: Session | undefined;
  readonly suites?: readonly CipherSuite[];
  readonly groups?: readonly Group[];
  /** Groups to send key shares of; by default the first group, and X25519. */
  readonly shares?: readonly Group[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly events: ClientEvents;
}

/** State that exists from the ServerHello on. */
interface Keys {
  readonly suite: CipherSuite;
  readonly transcript: Transcript;
  readonly schedule: KeySchedule;
  readonly handshake: TrafficSecrets;
}

/**
 * The client's side of a TLS 1.3 handshake in QUIC (RFC 9846, RFC 9001), without I/O. It offers no 0-RTT, and has no
 * certificate.
 */
export class ClientHandshake {
  readonly #options: ClientHandshakeOptions;
  readonly #flow: HandshakeFlow<ClientState, ClientStep>;
  readonly #random = randomBytes(32);
  readonly #suites: readonly CipherSuite[];
  /** By group, the key exchanges whose shares the last ClientHello has. */
  #exchanges: ReadonlyMap<number, KeyExchange>;
  /** The session that is offered, or that has been resumed. */
  #session: Session | undefined;
  /** The last ClientHello. */
  #hello: SentHello;
  #retry: { readonly selection: ServerSelection; readonly transcript: Transcript } | undefined;
  #keys: Keys | undefined;
  #isCertificateRequested = false;
  #chain: readonly X509Certificate[] = [];
  #resumptionSecret: Buffer = Buffer.alloc(0);
  #negotiated: Negotiated = {};

  constructor(options: ClientHandshakeOptions) {
    const { suites = CIPHER_SUITES, groups = GROUPS } = options;
    const { shares = [...new Set([groups[0] ?? Group.x25519, Group.x25519])] } = options;
    this.#options = options;
    this.#suites = suites;
    this.#session = usableSession(options, suites);
    this.#exchanges = startExchanges(shares);
    this.#hello = this.#makeHello();
    this.#flow = new HandshakeFlow(CLIENT, 'wait-server-hello', (message) => this.#handle(message));
  }

  get state(): ClientState {
    return this.#flow.state;
  }

  get negotiated(): Negotiated {
    return this.#negotiated;
  }

  /** The random of the ClientHello, for a key log. */
  get random(): Buffer {
    return this.#random;
  }

  /** The server's certificates, its own first; empty before them, and if a session is resumed. */
  get serverChain(): readonly X509Certificate[] {
    return this.#chain;
  }

  /** Sends the ClientHello. Call once. */
  start(): void {
    this.#options.events.output('initial', this.#hello.message);
  }

  /** See `HandshakeFlow.receive`. */
  receive(level: Level, bytes: Buffer): HandshakeFailure | undefined {
    return this.#flow.receive(level, bytes);
  }

  #makeHello(): SentHello {
    const { serverName, alpn, transportParameters, groups = GROUPS, now } = this.#options;
    const session = this.#session;
    const before = this.#retry?.transcript ?? (session && new Transcript(suiteHash(session.suite)));
    return clientHello({
      random: this.#random,
      suites: this.#suites,
      groups,
      shares: [...this.#exchanges].map(([group, { share }]) => ({ group, share })),
      serverName,
      alpn,
      transportParameters,
      cookie: this.#retry?.selection.cookie,
      psk: session && before && offeredPsk(session, (truncated) => before.digest(truncated), now),
    });
  }

  #handle(message: Message): void {
    switch (message.type) {
      case HandshakeType.serverHello:
        return this.#readServerHello(message);
      case HandshakeType.encryptedExtensions:
        return this.#readExtensions(message);
      case HandshakeType.certificateRequest:
        return this.#readCertificateRequest(message);
      case HandshakeType.certificate:
        return this.#readCertificate(message);
      case HandshakeType.certificateVerify:
        return this.#verifySignature(message);
      case HandshakeType.finished:
        return this.#finish(message);
      default:
        return this.#readTicket(message);
    }
  }

  #readServerHello(message: Message): void {
    const offered = { extensions: this.#hello.offered, suites: this.#suites };
    const selection = readServerHello(message.body, offered);
    if (selection.isRetry) this.#sendAgain(selection, message);
    else this.#deriveKeys(selection, message);
  }

  /** Answers a HelloRetryRequest (RFC 9846 4.2.4). */
  #sendAgain(selection: ServerSelection, { bytes }: Message): void {
    this.#flow.advance('retried');
    const { group, cookie, suite } = selection;
    const { groups = GROUPS, events } = this.#options;
    if (group !== undefined) {
      const wanted = groups.find((each) => each === group);
      if (wanted === undefined || this.#exchanges.has(wanted)) {
        const reason =
          'the HelloRetryRequest asks for a group that was not offered, or has a share';
        throw alertError('illegal_parameter', 'RFC 9846 4.3.8', reason);
      }
      this.#exchanges = startExchanges([wanted]);
    } else if (!cookie) {
      const reason = 'the HelloRetryRequest asks for nothing';
      throw alertError('illegal_parameter', 'RFC 9846 4.2.4', reason);
    }
    const transcript = new Transcript(suiteHash(suite));
    transcript.add(this.#hello.message);
    transcript.startAgain();
    transcript.add(bytes);
    this.#retry = { selection, transcript };
    this.#negotiated = { isRetried: true };
    // A PSK with another hash cannot be used any more.
    if (this.#session && suiteHash(this.#session.suite) !== suiteHash(suite))
      this.#session = undefined;
    this.#hello = this.#makeHello();
    events.output('initial', this.#hello.message);
  }

  #deriveKeys(selection: ServerSelection, { bytes }: Message): void {
    const { suite, group, share, selectedIdentity } = selection;
    const session = this.#resumedSession(selection);
    const isSameAsRetry =
      !this.#retry ||
      (this.#retry.selection.suite === suite && (this.#retry.selection.group ?? group) === group);
    const exchange = group === undefined ? undefined : this.#exchanges.get(group);
    const secret = exchange?.secretWith(share);
    if (group === undefined && selectedIdentity === undefined)
      throw alertError('missing_extension', 'RFC 9846 4.2.3', 'key_share is missing');
    if (group === undefined || !secret || !isSameAsRetry) {
      const reason =
        'the key share is not valid, not offered, or not that of the HelloRetryRequest';
      throw alertError('illegal_parameter', 'RFC 9846 4.3.8', reason);
    }
    this.#flow.advance(session ? 'resumed' : 'selected');
    this.#flow.readAt('handshake');
    const transcript = this.#retry?.transcript ?? new Transcript(suiteHash(suite));
    transcript.add(this.#hello.message);
    transcript.add(bytes);
    const schedule = new KeySchedule(suiteHash(suite), secret, session?.psk);
    const handshake = schedule.handshakeSecrets(transcript.digest());
    this.#session = session;
    this.#keys = { suite, transcript, schedule, handshake };
    const isRetried = this.#retry !== undefined;
    this.#negotiated = { suite, group, isResumed: session !== undefined, isRetried };
    this.#options.events.secrets('handshake', handshake, suite);
  }

  /** The session that the server resumes (RFC 9846 4.3.11); undefined if it resumes none. */
  #resumedSession({ selectedIdentity, suite }: ServerSelection): Session | undefined {
    if (selectedIdentity === undefined) return undefined;
    const session = this.#session;
    if (session && selectedIdentity === 0 && suiteHash(session.suite) === suiteHash(suite))
      return session;
    const reason = 'the server resumes a session that was not offered, or with another hash';
    throw alertError('illegal_parameter', 'RFC 9846 4.3.11', reason);
  }

  #readExtensions({ body, bytes }: Message): void {
    const { alpn, events } = this.#options;
    const offered = { extensions: this.#hello.offered, alpn };
    const extensions = readServerExtensions(body, offered);
    const broken = events.transportParameters(extensions.transportParameters);
    if (broken) throw violationError(broken);
    this.#flow.advance('extensions');
    this.#established().transcript.add(bytes);
    this.#negotiated = { ...this.#negotiated, alpn: extensions.alpn };
  }

  #readCertificateRequest({ body, bytes }: Message): void {
    readCertificateRequest(body);
    this.#flow.advance('requested');
    this.#established().transcript.add(bytes);
    this.#isCertificateRequested = true;
  }

  #readCertificate({ body, bytes }: Message): void {
    const { verification, now } = this.#options;
    this.#chain = parseChain(readCertificate(body));
    if (verification) verifyChain(this.#chain, verification, now);
    this.#flow.advance('certificate');
    this.#established().transcript.add(bytes);
  }

  #verifySignature({ body, bytes }: Message): void {
    const { transcript } = this.#established();
    const { scheme, signature } = readCertificateVerify(body);
    const [leaf] = this.#chain;
    const key = leaf && publicKeyOf(leaf);
    if (!key || !schemesOf(key).includes(scheme)) {
      const reason = 'the signature algorithm was not offered, or is not one of the key';
      throw alertError('illegal_parameter', 'RFC 9846 4.5.2', reason);
    }
    if (!isSignedBy(scheme, key, transcript.digest(), signature))
      throw alertError('decrypt_error', 'RFC 9846 4.5.2', 'the signature of the server is wrong');
    this.#flow.advance('verified');
    transcript.add(bytes);
    this.#negotiated = { ...this.#negotiated, signatureScheme: scheme };
  }

  /** Reads the server's Finished, and sends the client's. */
  #finish({ body, bytes }: Message): void {
    const { transcript, handshake, schedule, suite } = this.#established();
    const { events } = this.#options;
    const expected = verifyData(transcript.hash, handshake.server, transcript.digest());
    if (!isSame(expected, body))
      throw alertError('decrypt_error', 'RFC 9846 4.5.3', 'the Finished of the server is wrong');
    this.#flow.advance('finished');
    this.#flow.readAt('application');
    transcript.add(bytes);
    const main = schedule.mainSecret();
    const application = main.applicationSecrets(transcript.digest());
    if (this.#isCertificateRequested) this.#send(transcript, certificate(Buffer.alloc(0), []));
    const data = verifyData(transcript.hash, handshake.client, transcript.digest());
    this.#send(transcript, handshakeMessage(HandshakeType.finished, data));
    this.#resumptionSecret = main.resumptionSecret(transcript.digest());
    this.#exchanges = new Map();
    this.#retry = undefined;
    events.secrets('application', application, suite);
    events.complete();
  }

  #send(transcript: Transcript, message: Buffer): void {
    transcript.add(message);
    this.#options.events.output('handshake', message);
  }

  #readTicket({ body }: Message): void {
    const { suite } = this.#established();
    const { serverName, verification, now, events } = this.#options;
    const { lifetime, ageAdd, nonce, ticket } = readNewSessionTicket(body);
    this.#flow.advance('ticket');
    // Tickets with a lifetime of zero are not kept (RFC 9846 4.7.1).
    if (lifetime === 0) return;
    events.session({
      suite,
      ticket,
      psk: ticketPsk(suiteHash(suite), this.#resumptionSecret, nonce),
      ageAdd,
      receivedAt: now,
      expiresAt: now + 1000 * Math.min(lifetime, MAX_TICKET_LIFETIME),
      serverName,
      verifiedHost: this.#session?.verifiedHost ?? verification?.host,
    });
  }

  /** The state machine allows no message that needs keys before there are some. */
  #established(): Keys {
    if (!this.#keys) throw new Error('no ServerHello yet');
    return this.#keys;
  }
}

function startExchanges(groups: readonly Group[]): ReadonlyMap<number, KeyExchange> {
  return new Map(groups.map((group) => [group, startKeyExchange(group)]));
}

/** The session, if it is for the same server, and its certificate was verified as this connection requires. */
function usableSession(
  { session, serverName, verification, now }: ClientHandshakeOptions,
  suites: readonly CipherSuite[],
): Session | undefined {
  const isUsable =
    session &&
    session.serverName === serverName &&
    session.expiresAt > now &&
    (!verification || session.verifiedHost === verification.host) &&
    suites.some((suite) => suiteHash(suite) === suiteHash(session.suite));
  return isUsable ? session : undefined;
}
