import { constants } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import type { Journal } from './arrival.ts';
import type { FrontName, Need } from './front.ts';
import {
  alertOf,
  failureText,
  handshakeText,
  isConnectError,
  type Opened,
  type TlsOptions,
} from './client/connect.ts';
import { exchangeHello, type HelloReply } from './client/hello-exchange.ts';
import type { Http1Client, SendOptions } from './client/http1-client.ts';
import { Http2Client } from './client/http2-client.ts';
import type { Http2Options } from './client/http2-options.ts';
import { valueOf, type RequestMessage, type Transfer } from './message.ts';
import {
  isAnswered,
  isFromOrigin,
  isOtherEcho,
  newTag,
  receivedOf,
  TAG,
  tagged,
  tagsOf,
  withTag,
  type Received,
} from './origin.ts';
import type { Observation } from './observation.ts';
import { REJECTED_KEY, type JournalEntry } from '../telemetry/journal/entry.ts';
import type { Client, Target } from './target.ts';
import type { Turns } from './turns.ts';

/** Milliseconds until the journal is asked again. */
const ASK_AGAIN = 20;

/** Bytes of a transfer's content that are kept for evidence. */
const MAX_RECORDED = 64 * 1024;

/** A request, its response, and what the origin received of it. */
export interface Echo {
  readonly transfer: Transfer;
  /** What the origin received; undefined if the response is not its echo: the target answered by itself. */
  readonly received: Received | undefined;
  readonly tag: string;
  /** Address of the client, as it sees it. */
  readonly client: string;
}

/** Members of a Transfer that has no HTTP message. */
const NO_MESSAGE = {
  interim: [],
  response: undefined,
  firstByte: undefined,
  isReusable: false,
} as const;

/** A TLS handshake, completed or failed. */
export interface Handshake {
  readonly opened: Opened | undefined;
  /** The alert that the target sent. */
  readonly alert: string | undefined;
  readonly words: string;
  /** The handshake as evidence: what was offered, and the result. */
  readonly transfer: Transfer;
}

/** A request to `/anything`. Without `target`, the path contains the tag. */
export interface EchoRequest extends Omit<RequestMessage, 'target'> {
  readonly target?: string;
}

/** What a check works with: sends requests to the target on one protocol, and asks the origin what arrived. */
export class Session {
  readonly front: FrontName;
  readonly target: Target;
  readonly met: ReadonlySet<Need>;
  readonly #time: number;
  readonly #turns: Turns;
  /** Connections that have sent a request. The turn taken to open one counts for its first request. */
  readonly #used = new WeakSet<Client>();
  readonly #open = new Set<{ close(): void }>();
  #isClosed = false;
  /** All transfers of the check, as evidence. */
  readonly transfers: Transfer[] = [];
  readonly #journal = new Map<string, readonly JournalEntry[]>();
  readonly #tags = new Set<string>();
  readonly #observed = new Set<Observation>();

  /**
   * @param time limit of a transfer, in milliseconds
   * @param met needs that the target and the origin meet
   */
  constructor(
    target: Target,
    front: FrontName,
    time: number,
    turns: Turns,
    met: ReadonlySet<Need> = new Set(),
  ) {
    this.met = met;
    this.target = target;
    this.front = front;
    this.#time = time;
    this.#turns = turns;
  }

  /** Limit of a transfer, in milliseconds. */
  get time(): number {
    return this.#time;
  }

  /** A unique tag, which is noted for `hasObserved()`. */
  newTag(): string {
    const tag = newTag();
    this.#tags.add(tag);
    return tag;
  }

  /** Notes that something of the target or the origin was observed. */
  observe(observation: Observation): void {
    this.#observed.add(observation);
  }

  /**
   * Whether something was observed. If not, tries to: asks the journal for `arrival`, sends an ordinary request for
   * `target`.
   */
  async hasObserved(observation: Observation): Promise<boolean> {
    const hasArrived = (): boolean => this.#observed.has('arrival');
    if (observation === 'arrival' && !hasArrived() && this.met.has('journal')) {
      for (const tag of Array.from(this.#tags).toReversed()) {
        if ((await this.arrived(tag)).length > 0) break;
      }
    }
    const isObserved = this.#observed.has(observation);
    if (observation !== 'target' || !isObserved) return isObserved;
    if (!hasArrived()) await this.echo();
    return hasArrived();
  }

  /**
   * Makes a target unique, so that no cache has a response for it: appends a tag to its query, unless it has one.
   * Endpoints of wirebin ignore it.
   */
  unique(target: string): string {
    if (!target.startsWith('/') || /\bcheck-[\da-f]{12}/.test(target)) return target;
    return withTag(target, this.newTag());
  }

  /** Sends a request on a new connection. Its target is made unique. */
  async send(message: RequestMessage, options: Partial<SendOptions> = {}): Promise<Transfer> {
    return this.sendOn(await this.open(), message, options);
  }

  /** Sends a request on an open connection. Its target is made unique. */
  async sendOn(
    client: Client,
    request: RequestMessage,
    options: Partial<SendOptions> = {},
  ): Promise<Transfer> {
    const message = { ...request, target: this.unique(request.target) };
    // Does not wait for its turn: the check decides when to send on an open connection, and may measure time.
    if (this.#used.has(client)) this.#turns.spend();
    this.#used.add(client);
    const isTagged = valueOf(message.fields ?? [], TAG) !== undefined;
    const marked = isTagged ? message : tagged(this.newTag(), message);
    return this.record(await client.send(marked, { time: this.#time, ...options }));
  }

  /** Sends a request to `/anything`, and reads from the echo what the origin received. */
  async echo(request: EchoRequest = {}, options: Partial<SendOptions> = {}): Promise<Echo> {
    return this.echoOn(await this.open(), request, options);
  }

  /** As `echo()`, on an open connection. */
  async echoOn(
    client: Client,
    request: EchoRequest = {},
    options: Partial<SendOptions> = {},
  ): Promise<Echo> {
    const tag = this.newTag();
    const { target = `/anything/${tag}` } = request;
    // A socket that is closed has no address.
    const { localAddress = '' } = client.opened.tcp;
    const transfer = await this.sendOn(client, tagged(tag, { ...request, target }), options);
    const received = receivedOf(transfer, tag);
    if (!received && isOtherEcho(transfer, tag)) this.target.mixedUp.push(transfer);
    return { transfer, received, tag, client: localAddress };
  }

  /** Sends bytes on a new HTTP/1.1 connection, and reads one response. */
  async raw(bytes: string | Buffer, method = 'GET'): Promise<Transfer> {
    return this.rawOn(await this.openHttp1(), bytes, method);
  }

  /** Sends bytes on an open HTTP/1.1 connection, and reads one response. @param bytes default: none */
  async rawOn(
    client: Http1Client,
    bytes: string | Buffer = '',
    method = 'GET',
    until?: SendOptions['until'],
  ): Promise<Transfer> {
    const sent = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
    const options = { time: this.#time, ...(until && { until }) };
    return this.record(await client.exchange(sent, method, options));
  }

  /** Opens a connection with the protocol of this session. */
  open(): Promise<Client> {
    return this.front === 'h2' ? this.openHttp2() : this.openHttp1();
  }

  /** @param preamble as in `Target.openHttp1()` */
  async openHttp1(preamble?: Buffer): Promise<Http1Client> {
    await this.#turns.next();
    return this.#keep(await this.target.openHttp1(this.#time, preamble));
  }

  /**
   * Opens an HTTP/2 connection, and waits for the SETTINGS of the server.
   *
   * @param options as in `Http2Options`, without authority and scheme
   */
  async openHttp2(options: Partial<Http2Options> = {}): Promise<Http2Client> {
    await this.#turns.next();
    const client = await this.target.openHttp2(this.#time, options);
    if (client.settings) this.observe('target');
    return this.#keep(client);
  }

  /** Opens a connection without an HTTP client. @throws the error of the handshake */
  async connect(tls: Partial<TlsOptions> = {}): Promise<Opened> {
    await this.#turns.next();
    const opened = await this.target.connect(this.#time, tls);
    this.#keep({ close: () => opened.stream.destroy() });
    if (opened.tls) this.observe('target');
    return opened;
  }

  /**
   * Tries a TLS handshake.
   *
   * @returns the connection, or how the handshake failed: the alert, or a text
   * @throws the error if no TCP connection was opened
   */
  async handshake(tls: Partial<TlsOptions> = {}): Promise<Handshake> {
    const start = performance.now();
    const found = (opened: Opened | undefined, alert: string | undefined, words: string) => {
      if (alert !== undefined) this.observe('target');
      const duration = performance.now() - start;
      const ending = opened ? 'complete' : 'closed';
      const transfer = { ...handshakeText(tls, opened?.tls, words), ending, duration } as const;
      return { opened, alert, words, transfer: this.record({ ...NO_MESSAGE, ...transfer }) };
    };
    try {
      return found(await this.connect(tls), undefined, '');
    } catch (error) {
      if (isConnectError(error)) throw error;
      return found(undefined, alertOf(error), failureText(error));
    }
  }

  /** Sends a ClientHello in pieces, each as a TCP segment, and reads the reply of the target. */
  async hello(pieces: readonly Buffer[]): Promise<HelloReply> {
    await this.#turns.next();
    const { tcp } = await this.target.connectTcp(this.#time);
    const reply = await exchangeHello(tcp, pieces, this.#time);
    this.record(reply.transfer);
    return reply;
  }

  /** Keeps a transfer as evidence, with the beginning of its content, and notes what it shows. */
  record(transfer: Transfer): Transfer {
    const { response, received, ending } = transfer;
    if (received !== '' || ending === 'closed' || ending === 'reset') this.observe('target');
    if (isAnswered(transfer)) this.observe('arrival');
    if (tagsOf(transfer).some((tag) => receivedOf(transfer, tag))) this.observe('echo');
    if (response === undefined || response.content.length <= MAX_RECORDED) {
      this.transfers.push(transfer);
      return transfer;
    }
    const content = Buffer.from(response.content.subarray(0, MAX_RECORDED));
    this.transfers.push({ ...transfer, response: { ...response, content } });
    return transfer;
  }

  /**
   * Journal entries of a tag: what reached the origin, even without a response.
   *
   * @param query of `/journal`, such as `?wait=1&until=ended`
   */
  async arrived(tag: string, query = ''): Promise<readonly JournalEntry[]> {
    await this.#turns.next();
    const entries = await this.target.journal(`${tag}${query}`, this.#time);
    this.#journal.set(tag, entries);
    if (entries.length > 0) this.observe('arrival');
    return entries;
  }

  /**
   * Waits until the journal's entry of a request is as wanted, or the time is over, and returns it.
   *
   * @param isWanted is also called with undefined, while there is no entry
   * @param time in milliseconds
   */
  async arrivedAs(
    tag: string,
    isWanted: (entry: JournalEntry | undefined) => boolean,
    time: number,
  ): Promise<JournalEntry | undefined> {
    const deadline = performance.now() + time;
    for (;;) {
      const [entry] = await this.arrived(tag);
      if (isWanted(entry) || performance.now() >= deadline) return entry;
      await pause(ASK_AGAIN);
    }
  }

  /** Whether the request of a transfer reached the origin, by the mark of the response or by the journal. */
  async hasArrived(transfer: Transfer): Promise<boolean> {
    if (isAnswered(transfer)) return true;
    if (!this.met.has('journal')) return false;
    for (const tag of tagsOf(transfer)) {
      if ((await this.arrived(tag)).length > 0) return true;
    }
    return false;
  }

  /** Whether one of the responses is that to another request, which a cache has stored. */
  async hasStored(): Promise<boolean> {
    const hasJournal = this.met.has('journal');
    for (const transfer of this.transfers) {
      // Raw responses have no mark of the origin: then the journal tells.
      const isRaw = hasJournal && transfer.response !== undefined && transfer.response.status < 400;
      const isOrigins = isFromOrigin(transfer) || isRaw;
      if (isOrigins && !(await this.hasArrived(transfer))) return true;
    }
    return false;
  }

  /**
   * Runs work that can ask which messages the origin has rejected since it began. On HTTP/2 without --inspect, the
   * origin does not know the tags of rejected messages, so no other check may run meanwhile: see the runner.
   */
  async withRejections<T>(
    work: (rejections: () => Promise<readonly JournalEntry[]>) => Promise<T>,
  ): Promise<T> {
    const isNeeded = ['gateway', 'h2-origin', 'journal'] as const;
    if (!isNeeded.every((need) => this.met.has(need))) return work(async () => []);
    const rejected = (): Promise<readonly JournalEntry[]> =>
      this.target.journal(REJECTED_KEY, this.#time);
    const before = new Set((await rejected()).map(({ conn, time }) => `${conn} ${time}`));
    return work(async () =>
      (await rejected()).filter(({ conn, time }) => !before.has(`${conn} ${time}`)),
    );
  }

  /** The journal's entry of a request once it has ended, or as it is when the time is over. */
  async ended(tag: string, seconds: number): Promise<JournalEntry | undefined> {
    const [entry] = await this.arrived(tag, `?wait=1&until=ended&timeout=${seconds}`);
    return entry;
  }

  /** Journal entries that the check has read, by tag. */
  get journal(): Journal {
    return this.#journal;
  }

  /** Whether the target has ended an HTTP/2 connection of the check because of what it calls excessive load. */
  get isCalmed(): boolean {
    return Array.from(this.#open).some(
      (client) =>
        client instanceof Http2Client &&
        client.goaway?.code === constants.NGHTTP2_ENHANCE_YOUR_CALM,
    );
  }

  /** Closes all connections of the check. Keeps frames that were sent without a request as evidence. */
  close(): void {
    for (const client of this.#open) {
      client.close();
      if (client instanceof Http2Client) this.#recordFrames(client.transfer);
    }
    this.#open.clear();
    this.#isClosed = true;
  }

  /** Closes a connection with the others, or at once if it was opened after the check took too long. */
  #keep<Connection extends { close(): void }>(connection: Connection): Connection {
    if (this.#isClosed) connection.close();
    else this.#open.add(connection);
    return connection;
  }

  #recordFrames(transfer: Transfer): void {
    if (!this.transfers.some(({ sent }) => sent === transfer.sent)) this.record(transfer);
  }
}
