import type { ProtocolReader, Sender } from '../protocol-reader.ts';
import { HandshakeType } from '../../wire/tls/handshake-reader.ts';
import {
  parseSessionTicket,
  resumptionOffer,
  type IssuedTicket,
  type ResumptionOffer,
  type TicketTrace,
} from './hello.ts';
import { parseClientHelloBody } from '../../wire/tls/client-hello.ts';
import type { ServerFlight } from '../../wire/tls/server-flight.ts';
import {
  parseServerHello,
  serverHelloFacts,
  type ServerHello,
  type ServerHelloFacts,
} from '../../wire/tls/server-hello.ts';
import {
  parseServerKeyExchange,
  type ServerKeyExchange,
} from '../../wire/tls/server-key-exchange.ts';
import { HttpRecords } from './http-records.ts';
import { TlsVersion } from '../../wire/tls/record.ts';
import { TlsDirection, type TlsSession } from './direction.ts';

/** How a session was resumed, and a trace of the ticket or session id, by which the issuing connection can be found. */
export interface Resumption {
  readonly by: 'psk' | 'session-ticket' | 'session-id';
  readonly trace: TicketTrace | undefined;
}

/** What is kept of a ServerHello. */
type ServerSelection = Pick<
  ServerHello,
  'version' | 'cipherSuite' | 'group' | 'selectedIdentity' | 'isHelloRetryRequest'
> & { readonly facts: ServerHelloFacts };

const MAX_OFFERS = 2;
const MAX_ISSUED = 16;
const TRAFFIC_SECRET = /^(CLIENT|SERVER)_TRAFFIC_SECRET_0 [0-9a-f]+ ([0-9a-f]+)\s*$/i;

/** Reads both directions of a TLS connection. Keeps no content, and decrypts only alerts, KeyUpdate and tickets. */
export class TlsReader implements ProtocolReader, TlsSession {
  /** Call `read()` and `written()` with the bytes of HTTP. */
  readonly httpRecords = { client: new HttpRecords(), server: new HttpRecords() };
  readonly onRecord: TlsSession['onRecord'];
  readonly #client: Readonly<TlsDirection>;
  readonly #server: Readonly<TlsDirection>;
  /** The offer of each ClientHello. There are two after a HelloRetryRequest. */
  readonly #offers: ResumptionOffer[] = [];
  #offersLeftOut = 0;
  readonly #issued: IssuedTicket[] = [];
  #issuedLeftOut = 0;
  /** From the last ServerHello. */
  #selection: ServerSelection | undefined;
  #isRetried = false;
  #keyExchange: ServerKeyExchange | undefined;
  /** A copy of the session ID in the last ClientHello. */
  #sessionId: Uint8Array = new Uint8Array(0);

  /** @param limit number of records kept of each direction @param onRecord called at each record header */
  constructor(limit: number, onRecord: TlsSession['onRecord'] = () => undefined) {
    this.onRecord = onRecord;
    this.#client = new TlsDirection('client', limit, this);
    this.#server = new TlsDirection('server', limit, this);
  }

  onData(from: Sender, record: number, length: number): void {
    if (from === 'client') this.httpRecords.client.received(record, length);
    else this.httpRecords.server.sent(record, length);
  }

  received(bytes: Buffer, time: number): void {
    this.#client.push(bytes, time);
  }

  sent(bytes: Buffer, time: number): void {
    this.#server.push(bytes, time);
  }

  get bytesKept(): number {
    const { client, server } = this.httpRecords;
    const ofHttp = client.bytesKept + server.bytesKept;
    return this.#client.bytesKept + this.#server.bytesKept + ofHttp;
  }

  /** Call with each line of the connection's key log (RFC 9850), before the records that it decrypts. */
  keyLog(line: string): void {
    const [, sender, secret = ''] = TRAFFIC_SECRET.exec(line) ?? [];
    if (sender === undefined) return;
    const direction = sender.toUpperCase() === 'CLIENT' ? this.#client : this.#server;
    direction.setSecret(Buffer.from(secret, 'hex'));
  }

  get selection(): ServerSelection | undefined {
    return this.#selection;
  }

  /** What the server has sent; undefined before its ServerHello or HelloRetryRequest. */
  get flight(): ServerFlight | undefined {
    const selection = this.#selection;
    return (
      selection && {
        version: selection.version,
        group: this.#keyExchange?.group ?? selection.group,
        hello: selection.isHelloRetryRequest ? undefined : selection.facts,
        signatureScheme: this.#keyExchange?.signatureScheme,
      }
    );
  }

  /** Tickets that the server issued; in TLS 1.3 only those that could be decrypted. */
  get issued(): readonly IssuedTicket[] {
    return this.#issued;
  }

  /** What the records show. */
  get trace() {
    return {
      client: this.#client.trace,
      server: this.#server.trace,
      offers: this.#offers,
      offersLeftOut: this.#offersLeftOut,
      selection: this.#selection,
      flight: this.flight,
      isRetried: this.#isRetried,
      resumption: this.#resumption(),
      issued: this.issued,
      issuedLeftOut: this.#issuedLeftOut,
      unread: this.httpRecords.client.unread(this.#client.dataRecords),
    };
  }

  onHandshake(type: number, body: Buffer): void {
    switch (type) {
      case HandshakeType.clientHello: {
        const hello = parseClientHelloBody(body);
        this.#sessionId = Uint8Array.from(hello?.sessionId ?? []);
        if (this.#offers.length >= MAX_OFFERS) this.#offersLeftOut++;
        else if (hello) this.#offers.push(resumptionOffer(hello));
        return;
      }
      case HandshakeType.serverHello: {
        const hello = parseServerHello(body);
        if (hello) this.#select(hello);
        return;
      }
      case HandshakeType.serverKeyExchange: {
        const version = this.#selection?.version;
        if (version !== undefined) this.#keyExchange = parseServerKeyExchange(body, version);
        return;
      }
      case HandshakeType.newSessionTicket: {
        const isTls13 = this.#selection?.version === TlsVersion.tls13;
        const ticket = parseSessionTicket(body, isTls13);
        if (!ticket) return;
        if (this.#issued.length < MAX_ISSUED) this.#issued.push(ticket);
        else this.#issuedLeftOut++;
      }
    }
  }

  /** Keeps what is shown, not the bytes of the message. */
  #select(hello: ServerHello): void {
    const { version, cipherSuite, group, selectedIdentity, isHelloRetryRequest } = hello;
    if (isHelloRetryRequest) this.#isRetried = true;
    const facts = serverHelloFacts(hello, this.#sessionId);
    this.#selection = {
      version,
      cipherSuite,
      group,
      selectedIdentity,
      isHelloRetryRequest,
      facts,
    };
  }

  /** undefined for a new session, and as long as it is not known. */
  #resumption(): Resumption | undefined {
    const selection = this.#selection;
    const offer = this.#offers.at(-1);
    if (!selection || !offer) return undefined;
    if (selection.version === TlsVersion.tls13) {
      const { selectedIdentity: index } = selection;
      return index === undefined ? undefined : { by: 'psk', trace: offer.identities[index] };
    }
    // A server that resumes a session sends no Certificate (RFC 5246 7.3, RFC 5077 3.1).
    const isAbbreviated =
      this.#server.hasChangedCipher &&
      !this.#server.handshake.some(({ type }) => type === HandshakeType.certificate);
    if (!isAbbreviated) return undefined;
    return offer.ticket
      ? { by: 'session-ticket', trace: offer.ticket }
      : { by: 'session-id', trace: offer.sessionId };
  }
}
