import { X509Certificate } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isIP, type OnReadOpts } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import type { FrontName } from './front.ts';
import { open, type Endpoint, type Opened, type TlsOptions } from './client/connect.ts';
import { Http1Client } from './client/http1-client.ts';
import { Http2Client } from './client/http2-client.ts';
import type { Http2Options } from './client/http2-options.ts';
import { proxyHeader, type ProxyVersion } from '../wire/proxy-protocol/write.ts';
import { Instances, JournalGap } from './instances.ts';
import { journalSchema, type JournalEntry, type JournalView } from '../telemetry/journal/entry.ts';
import type { RequestMessage, Transfer } from './message.ts';
import { connectionOf, reader, tagged } from './origin.ts';
import { addressOf, prefixOf } from './path-prefix.ts';
import { Unjudged } from './unjudged.ts';

export interface TargetOptions {
  /** The URL to check. Its path is the prefix of all that is requested. */
  readonly url: URL;
  /** The address of the host, in place of resolving its name. */
  readonly address?: string | undefined;
  /** URLs at which the origins are reached directly, for example to read their journals. */
  readonly origins?: readonly URL[] | undefined;
  /** The token of --control, the same for all origins. */
  readonly control?: string | undefined;
  /** Begins each connection to the target with a PROXY header of this version. */
  readonly proxyProtocol?: ProxyVersion | undefined;
  readonly insecure: boolean;
  readonly ca?: string | Buffer | undefined;
  readonly cert?: Buffer | undefined;
  readonly key?: Buffer | undefined;
  /** Destroys all connections when it aborts, at the end of a run. Default: each is closed by who has opened it. */
  readonly signal?: AbortSignal | undefined;
}

const journalOf = reader<JournalView>(journalSchema);

export type Client = Http1Client | Http2Client;

/** Milliseconds, at least, for the journal of an origin that is asked directly: how long it takes judges no target. */
const JOURNAL_TIME = 10_000;

/** Source in the PROXY header of all connections, except those of PROXY protocol checks. */
export const LOOPBACK = { source: '127.0.0.1', sourcePort: 1 };

/** The target of a run: an intermediary whose backend is wirebin. */
export class Target {
  readonly options: TargetOptions;
  /** The wirebin processes that have answered through the target. */
  readonly instances = new Instances();
  /** Responses that were those to other requests of the run. */
  readonly mixedUp: Transfer[] = [];

  constructor(options: TargetOptions) {
    this.options = options;
  }

  get url(): URL {
    return this.options.url;
  }

  /** The host or address that connections go to. */
  get host(): string {
    return this.options.address ?? hostOf(this.url);
  }

  /** The port that connections go to. */
  get port(): number {
    return portOf(this.url);
  }

  get isSecure(): boolean {
    return this.url.protocol === 'https:';
  }

  /** The path below which all is requested; empty for the root. */
  get prefix(): string {
    return prefixOf(this.url);
  }

  /** The URL as it is named in reports. */
  get name(): string {
    return addressOf(this.url);
  }

  get authority(): string {
    return this.url.host;
  }

  /** The name for SNI and certificate verification; undefined for an IP address (RFC 6066 3). */
  get servername(): string | undefined {
    const host = hostOf(this.url);
    return isIP(host) === 0 ? host : undefined;
  }

  /** The client certificate that is presented to the target. */
  get certificate(): X509Certificate | undefined {
    const { cert } = this.options;
    return cert && new X509Certificate(cert);
  }

  get proxyProtocol(): ProxyVersion | undefined {
    return this.options.proxyProtocol;
  }

  /** CA certificates in PEM, by which the target is verified. */
  get ca(): string | Buffer | undefined {
    return this.options.ca;
  }

  /** Options of the TLS context for connections to the target. */
  get credentials(): Pick<SecureContextOptions, 'ca' | 'cert' | 'key'> {
    const { ca, cert, key } = this.options;
    return { ...(ca !== undefined && { ca }), ...(cert && { cert }), ...(key && { key }) };
  }

  /** Opens a connection without an HTTP client, for checks of TLS and TCP. */
  async connect(time: number, tls: Partial<TlsOptions> = {}, onread?: OnReadOpts): Promise<Opened> {
    return open({ ...this.#endpoint(this.url, tls), onread }, time);
  }

  /** Opens a connection without TLS, whatever the URL is. */
  async connectTcp(time: number): Promise<Opened> {
    return open({ ...this.#endpoint(this.url, {}), tls: undefined }, time);
  }

  /** @param preamble sent before anything else. Default: the PROXY header, if the options ask for one */
  async openHttp1(time: number, preamble?: Buffer): Promise<Http1Client> {
    const endpoint = this.#endpoint(this.url, { alpn: ['http/1.1'] });
    return this.http1Over(await open({ ...endpoint, ...(preamble && { preamble }) }, time));
  }

  /** An HTTP/1.1 client on an open connection. */
  http1Over(opened: Opened): Http1Client {
    return new Http1Client(opened, this.authority, this.prefix);
  }

  /** Opens an HTTP/2 connection, and waits for the SETTINGS of the server. */
  async openHttp2(time: number, options: Partial<Http2Options> = {}): Promise<Http2Client> {
    const opened = await this.connect(time, { alpn: ['h2'] });
    const scheme = this.isSecure ? 'https' : 'http';
    const { authority, prefix } = this;
    const client = new Http2Client(opened, { authority, scheme, prefix, ...options });
    await client.until(() => client.settings !== undefined || client.isClosed, time);
    return client;
  }

  open(front: FrontName, time: number): Promise<Client> {
    return front === 'h2' ? this.openHttp2(time) : this.openHttp1(time);
  }

  /**
   * Entries of the origins' journals by key and query, read directly if possible, else through the target.
   *
   * @throws JournalGap if an instance that has answered cannot be asked
   * @throws Unjudged if a journal cannot be read: no entries would mean that nothing has arrived
   */
  async journal(key: string, time: number): Promise<readonly JournalEntry[]> {
    const views = await this.#journals(key, time);
    const { gap } = this.instances;
    if (gap !== undefined) throw new JournalGap(gap);
    return views
      .flatMap(({ process, entries }) =>
        entries.map((entry) => ({ ...entry, conn: connectionOf(process, entry.conn) })),
      )
      .toSorted((one, other) => (one.time < other.time ? -1 : Number(one.time > other.time)));
  }

  async #journals(key: string, time: number): Promise<readonly JournalView[]> {
    const asked = this.origins.map(async (url) => this.#journalOf(url, key, time));
    if (asked.length === 1 || !key.includes('?wait=')) return Promise.all(asked);
    // Only one journal gets the entry that is waited for. When one has answered, read the others without waiting.
    const isOver = asked.map(async (each) => {
      if ((await each).entries.length === 0) await Promise.all(asked);
    });
    await Promise.race(isOver);
    const [keyAlone = ''] = key.split('?');
    return Promise.all(this.origins.map(async (url) => this.#journalOf(url, keyAlone, time)));
  }

  async #journalOf(url: URL, key: string, time: number): Promise<JournalView> {
    const message = { target: `/journal/${key}`, fields: [['Cache-Control', 'no-cache'] as const] };
    const limit = this.hasOrigins ? Math.max(time, JOURNAL_TIME) : time;
    const { response, ending } = await this.#ask(url, message, limit);
    const journal = journalOf(response);
    if (response?.status !== 200 || !journal) {
      throw new Unjudged(`the journal of the origin cannot be read: ${response?.status ?? ending}`);
    }
    if (this.hasOrigins) this.instances.reached(url, journal.process);
    else this.instances.saw(journal.process);
    return journal;
  }

  /** Whether the origins can be drained, and asked directly when they are ready again. */
  get isDrainable(): boolean {
    return this.options.control !== undefined && this.hasOrigins;
  }

  /**
   * Has the origins drain, and serve again half a second later.
   *
   * @param timeout for open requests, in seconds
   * @returns the response of an origin that refuses, or else that of any
   */
  async drain(timeout: number, time: number): Promise<Transfer> {
    const fields = [['Authorization', `Bearer ${this.options.control ?? ''}`] as const];
    const target = `/control/drain?lag=0&timeout=${timeout}&down=0.5`;
    const message: RequestMessage = { method: 'POST', target, fields, content: '' };
    const [first, ...others] = await Promise.all(
      this.origins.map(async (url) => this.#ask(url, message, time)),
    );
    const refused = others.find(({ response }) => response?.status !== 202);
    if (first === undefined) throw new Error('there is no origin');
    return first.response?.status === 202 && refused ? refused : first;
  }

  /** Waits until all origins are ready. @returns false on timeout */
  async isReady(time: number): Promise<boolean> {
    const deadline = performance.now() + time;
    const isReady = async (url: URL): Promise<boolean> => {
      const asked = await this.#ask(url, { target: '/readyz' }, time).catch(() => undefined);
      return asked?.response?.status === 200;
    };
    while (performance.now() < deadline) {
      const ready = await Promise.all(this.origins.map(isReady));
      if (!ready.includes(false)) return true;
      await pause(20);
    }
    return false;
  }

  /** Whether the origins can be reached directly. */
  get hasOrigins(): boolean {
    return (this.options.origins ?? []).length > 0;
  }

  /** URLs of the origins; the URL of the target if no origin can be reached directly. */
  get origins(): readonly URL[] {
    const { origins = [] } = this.options;
    return origins.length > 0 ? origins : [this.url];
  }

  /** Opens an HTTP/1.1 connection to one of the origins. */
  async openOrigin(url: URL, time: number): Promise<Http1Client> {
    const opened = await open(this.#endpoint(url, { alpn: ['http/1.1'] }, this.hasOrigins), time);
    return new Http1Client(opened, url.host, prefixOf(url));
  }

  async #ask(url: URL, message: RequestMessage, time: number): Promise<Transfer> {
    const client = await this.openOrigin(url, time);
    const transfer = await client.send(message, { time });
    client.close();
    return transfer;
  }

  /** Sends a GET on a new connection. */
  async get(front: FrontName, path: string, tag: string, time: number): Promise<Transfer> {
    const client = await this.open(front, time);
    const transfer = await client.send(tagged(tag, { target: path }), { time });
    client.close();
    return transfer;
  }

  #endpoint(url: URL, tls: Partial<TlsOptions>, isOrigin = false): Endpoint {
    const { proxyProtocol, insecure, ca, cert, key, signal } = this.options;
    const isSecure = url.protocol === 'https:';
    const host = hostOf(url);
    return {
      host: isOrigin ? host : this.host,
      port: portOf(url),
      signal,
      preamble: isOrigin ? undefined : proxyProtocol && proxyHeader(proxyProtocol, LOOPBACK),
      tls: isSecure
        ? {
            host,
            servername: isIP(host) === 0 ? host : undefined,
            alpn: ['http/1.1'],
            // An origin reached directly often has a self-signed certificate.
            insecure: insecure || isOrigin,
            ca,
            cert,
            key,
            ...tls,
          }
        : undefined,
    };
  }
}

/** The host without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}
