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
import { Http2Client, type Http2Options } from './client/http2-client.ts';
import { valueOf, type RequestMessage, type Transfer } from './message.ts';
import { isAnswered, newTag, receivedOf, TAG, tagged, tagsOf, type Received } from './origin.ts';
import type { Observation } from './observation.ts';
import { REJECTED_KEY, type JournalEntry } from '../telemetry/journal/entry.ts';
import type { Client, Target } from './target.ts';
import type { Turns } from './turns.ts';

/** Bytes of content that are kept of a transfer when the check no longer needs it. */
const MAX_RECORDED = 64 * 1024;

/** A request, its response, and what the origin received of it. */
export interface Echo {
  readonly transfer: Transfer;
  /** undefined if the response is not wirebin's echo: the target has answered itself. */
  readonly received: Received | undefined;
  readonly tag: string;
}

/** A transfer without messages. */
const NO_MESSAGE = {
  interim: [],
  response: undefined,
  firstByte: undefined,
  isReusable: false,
} as const;

/** A handshake of TLS that was complete, or how it failed. */
export interface Handshake {
  readonly opened: Opened | undefined;
  /** The alert that the target sent. */
  readonly alert: string | undefined;
  readonly words: string;
  /** What was offered, and what came of it. */
  readonly transfer: Transfer;
}

/** A request to `/anything`; the path has a tag unless there is a target. */
export interface EchoRequest extends Omit<RequestMessage, 'target'> {
  readonly target?: string;
}

/** What a check works with: connections to the target by one protocol, and what the origin knows. */
export class Session {
  readonly front: FrontName;
  readonly target: Target;
  readonly met: ReadonlySet<Need>;
  readonly #time: number;
  readonly #turns: Turns;
  /** Connections on which a request was sent. The first one has the turn of the connection. */
  readonly #used = new WeakSet<Client>();
  readonly #open = new Set<{ close(): void }>();
  /** All transfers, for evidence of what the check did. */
  readonly transfers: Transfer[] = [];
  readonly #journal = new Map<string, readonly JournalEntry[]>();
  readonly #tags = new Set<string>();
  readonly #observed = new Set<Observation>();

  /**
   * @param time limit of a transfer, in milliseconds
   * @param met what the target and the origin offer
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

  /** A tag that no other request has. */
  newTag(): string {
    const tag = newTag();
    this.#tags.add(tag);
    return tag;
  }

  /** Notes what has been seen of the target or the origin. */
  observe(observation: Observation): void {
    this.#observed.add(observation);
  }

  /**
   * Whether that has been seen. What the check has not done for it is done now: for `arrival` the journal is asked, and
   * for `target` an ordinary request is sent.
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
   * A target that no cache has a response for: one without a tag gets one in its query. The endpoints of wirebin
   * ignore parameters that they do not know.
   */
  unique(target: string): string {
    if (!target.startsWith('/') || /\bcheck-[\da-f]{12}/.test(target)) return target;
    return `${target}${target.includes('?') ? '&' : '?'}check=${this.newTag()}`;
  }

  /** Sends a request on a connection of its own, to a target that is made unique. */
  async send(request: RequestMessage, options: Partial<SendOptions> = {}): Promise<Transfer> {
    const message = { ...request, target: this.unique(request.target) };
    return this.sendOn(await this.open(), message, options);
  }

  /** Sends a request on a connection that is open. */
  async sendOn(
    client: Client,
    message: RequestMessage,
    options: Partial<SendOptions> = {},
  ): Promise<Transfer> {
    // Checks decide when a request on an open connection is sent, and some measure time: it does not wait.
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

  /** The same on a connection that is open. */
  async echoOn(
    client: Client,
    request: EchoRequest = {},
    options: Partial<SendOptions> = {},
  ): Promise<Echo> {
    const tag = this.newTag();
    const target = this.unique(request.target ?? `/anything/${tag}`);
    const transfer = await this.sendOn(client, tagged(tag, { ...request, target }), options);
    return { transfer, received: receivedOf(transfer, tag), tag };
  }

  /** Sends bytes on an HTTP/1.1 connection of their own, and reads one response. */
  async raw(bytes: string | Buffer, method = 'GET', time = this.#time): Promise<Transfer> {
    const client = await this.openHttp1();
    const sent = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
    return this.record(await client.exchange(sent, method, { time }));
  }

  /** Reads a response that comes without another request, on an HTTP/1.1 connection that is open. */
  async readOn(client: Http1Client): Promise<Transfer> {
    return this.record(await client.exchange(Buffer.alloc(0), 'GET', { time: this.#time }));
  }

  /** Opens a connection of the protocol that is checked. */
  open(): Promise<Client> {
    return this.front === 'h2' ? this.openHttp2() : this.openHttp1();
  }

  /** @param preamble as in `Target.openHttp1()` */
  async openHttp1(preamble?: Buffer): Promise<Http1Client> {
    await this.#turns.next();
    const client = await this.target.openHttp1(this.#time, preamble);
    this.#open.add(client);
    return client;
  }

  /**
   * Opens a connection, and waits for the SETTINGS of the server.
   *
   * @param options as in `Http2Options`, beyond authority and scheme
   */
  async openHttp2(options: Partial<Http2Options> = {}): Promise<Http2Client> {
    await this.#turns.next();
    const client = await this.target.openHttp2(this.#time, options);
    if (client.settings) this.observe('target');
    this.#open.add(client);
    return client;
  }

  /** Opens a connection as it is. @throws the error of the handshake */
  async connect(tls: Partial<TlsOptions> = {}): Promise<Opened> {
    await this.#turns.next();
    const opened = await this.target.connect(this.#time, tls);
    this.#open.add({ close: () => opened.stream.destroy() });
    if (opened.tls) this.observe('target');
    return opened;
  }

  /**
   * Tries a handshake.
   *
   * @returns the connection, or how the handshake failed: by an alert, or in words
   * @throws the error of a connection that was not opened
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

  /** Sends the pieces of a ClientHello, each as a segment, and reads what the target replies. */
  async hello(pieces: readonly Buffer[]): Promise<HelloReply> {
    await this.#turns.next();
    const { tcp } = await this.target.connectTcp(this.#time);
    const reply = await exchangeHello(tcp, pieces, this.#time);
    this.record(reply.transfer);
    return reply;
  }

  /** Keeps a transfer that a check made on a connection of its own, with the beginning of its content. */
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
   * What reached the origin with the tag, also if no response came back.
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

  /** Whether the origin has received the request of a transfer: the response has its mark, or the journal knows it. */
  async hasArrived(transfer: Transfer): Promise<boolean> {
    if (isAnswered(transfer)) return true;
    if (!this.met.has('journal')) return false;
    for (const tag of tagsOf(transfer)) {
      if ((await this.arrived(tag)).length > 0) return true;
    }
    return false;
  }

  /**
   * Runs work that learns which messages the origin has rejected meanwhile, but for those with a known key. An origin on
   * HTTP/2 without --inspect does not know their keys; therefore no other check runs beside it: see the runner.
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

  /** What the check has read of the journal. */
  get journal(): Journal {
    return this.#journal;
  }

  /** Closes what the check has left open. Frames that it sent without a request are kept as well. */
  close(): void {
    for (const client of this.#open) {
      client.close();
      if (client instanceof Http2Client) this.#recordFrames(client.transfer);
    }
    this.#open.clear();
  }

  #recordFrames(transfer: Transfer): void {
    if (!this.transfers.some(({ sent }) => sent === transfer.sent)) this.record(transfer);
  }
}
