import { randomBytes } from 'node:crypto';
import { uint16s } from '../../wire/byte-writer.ts';
import type { Violation } from '../../wire/quic/violation.ts';
import type { ClientHello } from '../../wire/tls/client-hello.ts';
import { alpnExtension, extension } from '../../wire/tls/extension-writer.ts';
import { ExtensionType } from '../../wire/tls/extensions.ts';
import { HandshakeType } from '../../wire/tls/handshake-reader.ts';
import { RETRY_RANDOM } from '../../wire/tls/server-hello.ts';
import { suiteHash } from './cipher-suite.ts';
import { PSK_DHE_KE, readClientOffer, type ClientOffer } from './client-offer.ts';
import { chooseCredential, type Credential, type SigningChoice } from './credential.ts';
import { alertError, violationError, type HandshakeFailure } from './failure.ts';
import { HandshakeFlow, type HandshakeEvents, type Negotiated } from './handshake.ts';
import { SERVER, type ServerState, type ServerStep } from './handshake-state.ts';
import {
  isSame,
  KeySchedule,
  ticketPsk,
  Transcript,
  verifyData,
  type MainSecret,
  type TrafficSecrets,
} from './key-schedule.ts';
import type { Level, Message } from './message-reader.ts';
import {
  certificateVerify,
  encryptedExtensions,
  handshakeMessage,
  newSessionTicket,
  serverHello,
} from './messages.ts';
import {
  answerShare,
  checkSecondHello,
  chooseSession,
  keyShareExtension,
  negotiate,
  type Selection,
} from './negotiation.ts';
import { signHandshake } from './signatures.ts';
import { sealTicket } from './ticket.ts';

export interface ServerEvents extends HandshakeEvents {
  /**
   * The client's transport parameters, which are not authenticated yet.
   *
   * @returns those of the server, or which rule the client's break
   */
  transportParameters(client: Uint8Array): Buffer | Violation;
}

export interface ServerHandshakeOptions {
  /** Not empty. The first one is used for unknown names. */
  readonly credentials: readonly Credential[];
  /** Not empty, the preferred one first. */
  readonly alpn: readonly string[];
  /** TICKET_KEY_LENGTH bytes, the same in all processes of a server; undefined issues no tickets. */
  readonly ticketKey: Uint8Array | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly events: ServerEvents;
}

/** Milliseconds from the full handshake for which its tickets, and those of its resumptions, can be used. */
const TICKET_LIFETIME = 24 * 60 * 60 * 1000;
const MAX_SERVER_NAME = 255;
const TICKET_NONCE = Buffer.of(0);

/** State that is kept from the server's flight to the client's Finished. */
interface Flight {
  readonly selected: Selection;
  readonly transcript: Transcript;
  readonly handshake: TrafficSecrets;
  readonly main: MainSecret;
  /** Expiry of tickets, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * The server's side of a TLS 1.3 handshake in QUIC (RFC 9846, RFC 9001), without I/O. It accepts no 0-RTT, and requests no
 * client certificate.
 */
export class ServerHandshake {
  readonly #options: ServerHandshakeOptions;
  readonly #flow: HandshakeFlow<ServerState, ServerStep>;
  #negotiated: Negotiated = {};
  #hello: ClientHello | undefined;
  /** What the HelloRetryRequest asked for; undefined without one. */
  #retry: { readonly transcript: Transcript; readonly selected: Selection } | undefined;
  #flight: Flight | undefined;

  constructor(options: ServerHandshakeOptions) {
    this.#options = options;
    this.#flow = new HandshakeFlow(SERVER, 'wait-hello', (message) => this.#handle(message));
  }

  get state(): ServerState {
    return this.#flow.state;
  }

  get negotiated(): Negotiated {
    return this.#negotiated;
  }

  /** The last ClientHello; undefined before it. */
  get clientHello(): ClientHello | undefined {
    return this.#hello;
  }

  /** See `HandshakeFlow.receive`. */
  receive(level: Level, bytes: Buffer): HandshakeFailure | undefined {
    return this.#flow.receive(level, bytes);
  }

  #handle(message: Message): void {
    if (message.type === HandshakeType.finished) this.#finish(message);
    else this.#readHello(message);
  }

  #readHello(message: Message): void {
    const offer = readClientOffer(message);
    this.#hello = offer.hello;
    const selected = negotiate(offer, this.#options.alpn);
    const transcript = this.#retry?.transcript ?? new Transcript(suiteHash(selected.suite));
    if (this.#retry) checkSecondHello(offer, selected, this.#retry.selected);
    if (selected.share) this.#answer(message, offer, selected, selected.share, transcript);
    else this.#askAgain(message, selected, transcript);
  }

  /** Sends a HelloRetryRequest (RFC 9846 4.2.4). */
  #askAgain({ bytes }: Message, selected: Selection, transcript: Transcript): void {
    this.#flow.advance('retried');
    transcript.add(bytes);
    transcript.startAgain();
    this.#retry = { transcript, selected };
    this.#negotiated = { isRetried: true };
    const extensions = [keyShareExtension(selected.group)];
    this.#send('initial', transcript, serverHello(RETRY_RANDOM, selected.suite, extensions));
  }

  /** Sends the server's flight: from ServerHello to Finished. */
  #answer(
    { bytes }: Message,
    offer: ClientOffer,
    selected: Selection,
    share: Uint8Array,
    transcript: Transcript,
  ): void {
    const { events, now, ticketKey, credentials } = this.#options;
    const { suite, group, alpn } = selected;
    const session = ticketKey && chooseSession(offer, selected, ticketKey, transcript, now);
    const signing = session ? undefined : chooseCredential(credentials, offer.hello);
    const parameters = events.transportParameters(offer.transportParameters);
    if (!Buffer.isBuffer(parameters)) throw violationError(parameters);
    const answer = answerShare(group, share);
    this.#flow.advance('answered');
    this.#flow.readAt('handshake');
    transcript.add(bytes);
    const extensions = [
      keyShareExtension(group, answer.share),
      ...(session ? [extension(ExtensionType.preSharedKey, uint16s([session.index]))] : []),
    ];
    this.#send('initial', transcript, serverHello(randomBytes(32), suite, extensions));
    const keys = new KeySchedule(suiteHash(suite), answer.secret, session?.ticket.psk);
    const handshake = keys.handshakeSecrets(transcript.digest());
    events.secrets('handshake', handshake, suite);
    const list = [
      alpnExtension([alpn]),
      extension(ExtensionType.quicTransportParameters, parameters),
    ];
    this.#send('handshake', transcript, encryptedExtensions(list));
    if (signing) this.#authenticate(signing, transcript);
    this.#sendFinished(transcript, handshake);
    const main = keys.mainSecret();
    events.secrets('application', main.applicationSecrets(transcript.digest()), suite);
    const expiresAt = session?.ticket.expiresAt ?? now + TICKET_LIFETIME;
    this.#flight = { selected, transcript, handshake, main, expiresAt };
    this.#negotiated = {
      suite,
      group,
      alpn,
      isResumed: session !== undefined,
      isRetried: this.#retry !== undefined,
      ...(signing && { signatureScheme: signing.scheme }),
    };
  }

  /** Sends Certificate and CertificateVerify. */
  #authenticate({ credential, scheme }: SigningChoice, transcript: Transcript): void {
    this.#send('handshake', transcript, credential.message);
    const signature = signHandshake(scheme, credential.key, transcript.digest());
    this.#send('handshake', transcript, certificateVerify(scheme, signature));
  }

  #sendFinished(transcript: Transcript, { server }: TrafficSecrets): void {
    const data = verifyData(transcript.hash, server, transcript.digest());
    this.#send('handshake', transcript, handshakeMessage(HandshakeType.finished, data));
  }

  /** Reads the client's Finished. */
  #finish({ body, bytes }: Message): void {
    const flight = this.#flight;
    if (!flight) return;
    const { transcript, handshake } = flight;
    const expected = verifyData(transcript.hash, handshake.client, transcript.digest());
    if (!isSame(expected, body))
      throw alertError('decrypt_error', 'RFC 9846 4.5.3', 'the Finished of the client is wrong');
    this.#flow.advance('finished');
    this.#flow.readAt('application');
    transcript.add(bytes);
    this.#flight = undefined;
    this.#retry = undefined;
    this.#options.events.complete();
    this.#sendTicket(flight);
  }

  /** Sends a NewSessionTicket (RFC 9846 4.7.1) if the client can use it. */
  #sendTicket({ selected, transcript, main, expiresAt }: Flight): void {
    const { ticketKey, now, events } = this.#options;
    const { suite, alpn } = selected;
    const { serverName = '', pskModes = [] } = this.#hello ?? {};
    if (!ticketKey || !pskModes.includes(PSK_DHE_KE) || serverName.length > MAX_SERVER_NAME) return;
    const secret = main.resumptionSecret(transcript.digest());
    const psk = ticketPsk(transcript.hash, secret, TICKET_NONCE);
    const ticket = sealTicket(ticketKey, { suite, expiresAt, alpn, serverName, psk });
    const lifetime = Math.floor((expiresAt - now) / 1000);
    const ageAdd = randomBytes(4).readUInt32BE();
    const message = newSessionTicket({ lifetime, ageAdd, nonce: TICKET_NONCE, ticket });
    events.output('application', message);
  }

  #send(level: Level, transcript: Transcript, message: Buffer): void {
    transcript.add(message);
    this.#options.events.output(level, message);
  }
}
