import { X509Certificate } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isIP } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import type { FrontName } from './front.ts';
import { open, type Endpoint, type Opened, type TlsOptions } from './client/connect.ts';
import { Http1Client } from './client/http1-client.ts';
import { Http2Client, type Http2Options } from './client/http2-client.ts';
import { proxyHeader, type ProxyVersion } from '../wire/proxy-protocol/write.ts';
import { Instances, JournalGap } from './instances.ts';
import { journalSchema, type JournalEntry, type JournalView } from '../telemetry/journal/entry.ts';
import type { RequestMessage, Transfer } from './message.ts';
import { connectionOf, reader, tagged } from './origin.ts';

export interface TargetOptions {
  /** The URL to check; its path is not used. */
  readonly url: URL;
  /** Where the host is, if its name does not say. */
  readonly address?: string | undefined;
  /** Where the origins can be reached past the target, for their journals. */
  readonly origins?: readonly URL[] | undefined;
  /** The token of --control, the same for all origins. */
  readonly control?: string | undefined;
  /** Begins each connection to the target with a PROXY header of this version. */
  readonly proxyProtocol?: ProxyVersion | undefined;
  readonly insecure: boolean;
  readonly ca?: string | Buffer | undefined;
  readonly cert?: Buffer | undefined;
  readonly key?: Buffer | undefined;
}

const journalOf = reader<JournalView>(journalSchema);

export type Client = Http1Client | Http2Client;

/** The client of all requests, but those of checks of the PROXY protocol. */
const LOOPBACK = { source: '127.0.0.1', sourcePort: 1 };

/** The target of a run: an intermediary whose backend is wirebin. */
export class Target {
  readonly #options: TargetOptions;
  /** The wirebin processes that have answered through the target. */
  readonly instances = new Instances();

  constructor(options: TargetOptions) {
    this.#options = options;
  }

  get url(): URL {
    return this.#options.url;
  }

  get isSecure(): boolean {
    return this.url.protocol === 'https:';
  }

  get authority(): string {
    return this.url.host;
  }

  /** The name that TLS sends and verifies; undefined for an address (RFC 6066 3). */
  get servername(): string | undefined {
    const host = hostOf(this.url);
    return isIP(host) === 0 ? host : undefined;
  }

  /** The certificate that is shown to the target. */
  get certificate(): X509Certificate | undefined {
    const { cert } = this.#options;
    return cert && new X509Certificate(cert);
  }

  get proxyProtocol(): ProxyVersion | undefined {
    return this.#options.proxyProtocol;
  }

  /** CA certificates that verify the target, in PEM. */
  get ca(): string | Buffer | undefined {
    return this.#options.ca;
  }

  /** What a context of TLS for connections to the target is made of. */
  get credentials(): Pick<SecureContextOptions, 'ca' | 'cert' | 'key'> {
    const { ca, cert, key } = this.#options;
    return { ...(ca !== undefined && { ca }), ...(cert && { cert }), ...(key && { key }) };
  }

  /** Opens a connection as it is, for checks of TLS and TCP. */
  async connect(time: number, tls: Partial<TlsOptions> = {}): Promise<Opened> {
    return open(this.#endpoint(this.url, tls), time);
  }

  /** Opens a connection without TLS, whatever the URL is. */
  async connectTcp(time: number): Promise<Opened> {
    return open({ ...this.#endpoint(this.url, {}), tls: undefined }, time);
  }

  /** @param preamble sent before all else. Default: the PROXY header, if there is one */
  async openHttp1(time: number, preamble?: Buffer): Promise<Http1Client> {
    const endpoint = this.#endpoint(this.url, { alpn: ['http/1.1'] });
    return this.http1Over(await open({ ...endpoint, ...(preamble && { preamble }) }, time));
  }

  /** A client of HTTP/1.1 on a connection that is open. */
  http1Over(opened: Opened): Http1Client {
    return new Http1Client(opened, this.authority);
  }

  /** Opens a connection, and waits for the SETTINGS of the server. */
  async openHttp2(time: number, options: Partial<Http2Options> = {}): Promise<Http2Client> {
    const opened = await this.connect(time, { alpn: ['h2'] });
    const scheme = this.isSecure ? 'https' : 'http';
    const client = new Http2Client(opened, { authority: this.authority, scheme, ...options });
    await client.until(() => client.settings !== undefined || client.isClosed, time);
    return client;
  }

  open(front: FrontName, time: number): Promise<Client> {
    return front === 'h2' ? this.openHttp2(time) : this.openHttp1(time);
  }

  /**
   * The entries of the origins' journals with a key and a query, past the target where that is possible.
   *
   * @throws JournalGap if an instance has answered that cannot be asked
   * @throws Error if one cannot be read: that nothing has arrived would be a verdict
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
    // Only one of them has what is waited for: once it has answered, the others are asked for what they have.
    const isOver = asked.map(async (each) => {
      if ((await each).entries.length === 0) await Promise.all(asked);
    });
    await Promise.race(isOver);
    const [keyAlone = ''] = key.split('?');
    return Promise.all(this.origins.map(async (url) => this.#journalOf(url, keyAlone, time)));
  }

  async #journalOf(url: URL, key: string, time: number): Promise<JournalView> {
    const message = { target: `/journal/${key}`, fields: [['Cache-Control', 'no-cache'] as const] };
    const { response, ending } = await this.#ask(url, message, time);
    const journal = journalOf(response);
    if (response?.status !== 200 || !journal) {
      throw new Error(`the journal of the origin cannot be read: ${response?.status ?? ending}`);
    }
    if (this.hasOrigins) this.instances.reached(url, journal.process);
    else this.instances.saw(journal.process);
    return journal;
  }

  /** Whether the origins can be drained, and asked when they serve again. */
  get isDrainable(): boolean {
    return this.#options.control !== undefined && this.hasOrigins;
  }

  /**
   * Makes the origins drain, and serve again half a second later.
   *
   * @param timeout for open requests, in seconds
   * @returns the response of one that does not drain, or else of any
   */
  async drain(timeout: number, time: number): Promise<Transfer> {
    const fields = [['Authorization', `Bearer ${this.#options.control ?? ''}`] as const];
    const target = `/control/drain?lag=0&timeout=${timeout}&down=0.5`;
    const message: RequestMessage = { method: 'POST', target, fields, content: '' };
    const [first, ...others] = await Promise.all(
      this.origins.map(async (url) => this.#ask(url, message, time)),
    );
    const refused = others.find(({ response }) => response?.status !== 202);
    if (first === undefined) throw new Error('there is no origin');
    return first.response?.status === 202 && refused ? refused : first;
  }

  /** Waits until the origins are ready. @returns whether they are in time */
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

  /** Whether origins can be reached past the target. */
  get hasOrigins(): boolean {
    return (this.#options.origins ?? []).length > 0;
  }

  /** Where the origins are asked: past the target, or through it if none is known there. */
  get origins(): readonly URL[] {
    const { origins = [] } = this.#options;
    return origins.length > 0 ? origins : [this.url];
  }

  /** Opens a connection of HTTP/1.1 to one of the origins. */
  async openOrigin(url: URL, time: number): Promise<Http1Client> {
    const opened = await open(this.#endpoint(url, { alpn: ['http/1.1'] }, this.hasOrigins), time);
    return new Http1Client(opened, url.host);
  }

  async #ask(url: URL, message: RequestMessage, time: number): Promise<Transfer> {
    const client = await this.openOrigin(url, time);
    const transfer = await client.send(message, { time });
    client.close();
    return transfer;
  }

  /** Sends an ordinary request on a connection of its own. */
  async get(front: FrontName, path: string, tag: string, time: number): Promise<Transfer> {
    const client = await this.open(front, time);
    const transfer = await client.send(tagged(tag, { target: path }), { time });
    client.close();
    return transfer;
  }

  #endpoint(url: URL, tls: Partial<TlsOptions>, isOrigin = false): Endpoint {
    const { address, proxyProtocol, insecure, ca, cert, key } = this.#options;
    const isSecure = url.protocol === 'https:';
    const host = hostOf(url);
    return {
      host: isOrigin ? host : (address ?? host),
      port: Number(url.port || (isSecure ? 443 : 80)),
      preamble: isOrigin ? undefined : proxyProtocol && proxyHeader(proxyProtocol, LOOPBACK),
      tls: isSecure
        ? {
            host,
            servername: isIP(host) === 0 ? host : undefined,
            alpn: ['http/1.1'],
            // The origin past the target often has a certificate of its own making.
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
