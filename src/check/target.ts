import { X509Certificate } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isIP } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import type { FrontName } from './front.ts';
import { open, type Endpoint, type Opened, type TlsOptions } from './client/connect.ts';
import { Http1Client } from './client/http1-client.ts';
import { Http2Client, type Http2Options } from './client/http2-client.ts';
import { proxyHeader, type ProxyVersion } from './client/proxy-header.ts';
import { guard } from '../server/schema.ts';
import { journalSchema, type JournalEntry, type JournalView } from '../telemetry/journal/entry.ts';
import type { RequestMessage, Transfer } from './message.ts';
import { contentObject, tagged } from './origin.ts';

export interface TargetOptions {
  /** The URL to check; its path is not used. */
  readonly url: URL;
  /** Where the host is, if its name does not say. */
  readonly address?: string | undefined;
  /** Where the origin can be reached past the target, for its journal. */
  readonly origin?: URL | undefined;
  /** The token of the origin's --control. */
  readonly control?: string | undefined;
  /** Begins each connection to the target with a PROXY header of this version. */
  readonly proxyProtocol?: ProxyVersion | undefined;
  readonly insecure: boolean;
  readonly ca?: string | Buffer | undefined;
  readonly cert?: Buffer | undefined;
  readonly key?: Buffer | undefined;
}

const isJournal = guard<JournalView>(journalSchema);

export type Client = Http1Client | Http2Client;

/** The client of all requests, but those of checks of the PROXY protocol. */
const LOOPBACK = { source: '127.0.0.1', sourcePort: 1 };

/** The target of a run: an intermediary whose backend is wirebin. */
export class Target {
  readonly #options: TargetOptions;

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
   * The entries of the origin's journal with a key and a query, past the target where that is possible.
   *
   * @throws Error if it cannot be read: that nothing has arrived would be a verdict
   */
  async journal(key: string, time: number): Promise<readonly JournalEntry[]> {
    const message = { target: `/journal/${key}`, fields: [['Cache-Control', 'no-cache'] as const] };
    const { response, ending } = await this.#askOrigin(message, time);
    const journal = contentObject(response);
    if (response?.status !== 200 || !isJournal(journal)) {
      throw new Error(`the journal of the origin cannot be read: ${response?.status ?? ending}`);
    }
    return journal.entries;
  }

  /** Whether the origin can be drained, and asked when it serves again. */
  get isDrainable(): boolean {
    return this.#options.control !== undefined && this.#options.origin !== undefined;
  }

  /**
   * Makes the origin drain, and serve again half a second later.
   *
   * @param timeout for open requests, in seconds
   */
  async drain(timeout: number, time: number): Promise<Transfer> {
    const fields = [['Authorization', `Bearer ${this.#options.control ?? ''}`] as const];
    const target = `/control/drain?lag=0&timeout=${timeout}&down=0.5`;
    return this.#askOrigin({ method: 'POST', target, fields, content: '' }, time);
  }

  /** Waits until the origin is ready. @returns whether it is in time */
  async isReady(time: number): Promise<boolean> {
    const deadline = performance.now() + time;
    while (performance.now() < deadline) {
      const transfer = await this.#askOrigin({ target: '/readyz' }, time).catch(() => undefined);
      if (transfer?.response?.status === 200) return true;
      await pause(20);
    }
    return false;
  }

  /** Sends a request to the origin, past the target where that is possible. */
  async #askOrigin(message: RequestMessage, time: number): Promise<Transfer> {
    const url = this.#options.origin ?? this.url;
    const opened = await open(this.#endpoint(url, { alpn: ['http/1.1'] }, url !== this.url), time);
    const client = new Http1Client(opened, url.host);
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
