import { once } from 'node:events';
import { constants } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { listOf, valuesOf, type FieldLine, type ResponseHead } from '../../src/check/message.ts';
import {
  ByteReader,
  ContentReader,
  framed,
  Malformed,
  parseField,
  Truncated,
  type Framing,
} from './_bytes.ts';
import { TestCache } from './_cache.ts';
import { Readiness, Sender, Workers } from './_gateway-faults.ts';
import { HOP_BY_HOP, KEPT, OF_GATEWAY } from './_gateway-fields.ts';
import { responseFraming } from './_gateway-framing.ts';
import {
  certificateFields,
  collected,
  isOneOf,
  missingDate,
  requestHead,
  respond,
  reuse,
  write,
} from './_gateway-writing.ts';
import type { OriginConnector } from './_gateway-origin.ts';
import type {
  ClientRequest,
  ClientResponse,
  Deviation,
  Exchange,
  OriginRequest,
} from './_gateway-messages.ts';

const PSEUDONYM = 'test-gateway';

interface OriginResponse {
  readonly head: ResponseHead;
  readonly content: ContentReader;
  readonly framing: Framing;
}

/** Forwards requests to an origin on HTTP/1.1, each on a connection of its own. */
export class Forwarder {
  readonly #connector: OriginConnector;
  readonly #deviation: Deviation;
  readonly #cache: TestCache | undefined;
  readonly #workers: Workers;
  readonly #open = new Set<Socket>();
  #readiness: Readiness | undefined;
  #brokenUntil = 0;
  /** The last piece that waits to be read, by what it blocks. */
  readonly #pending = new Map<string, Promise<void>>();

  constructor(connector: OriginConnector, deviation: Deviation) {
    this.#connector = connector;
    this.#deviation = deviation;
    const { cache, workers = Infinity } = deviation;
    this.#workers = new Workers(workers);
    this.#cache = cache && new TestCache(cache === 'none' ? undefined : cache);
  }

  /** Ends all connections to the origin. */
  close(): void {
    this.#readiness?.close();
    this.#closeAll();
  }

  #closeAll(): void {
    for (const each of this.#open) each.destroy();
  }

  /** Opens a connection to the origin. */
  connect(): Socket {
    return this.#connector.connect(undefined);
  }

  async forward(exchange: Exchange): Promise<void> {
    const { whileDraining, breaksCircuitFor } = this.#deviation;
    if (whileDraining) {
      this.#readiness ??= new Readiness(
        () => this.connect(),
        () => whileDraining.cuts && this.#closeAll(),
      );
    }
    if (whileDraining?.status !== undefined && this.#readiness?.isReady === false)
      return respond(exchange, whileDraining.status);
    if (breaksCircuitFor !== undefined && performance.now() < this.#brokenUntil)
      return respond(exchange, 503);
    return this.#workers.run(() => this.#forward(exchange));
  }

  async #forward(exchange: Exchange): Promise<void> {
    const { request: client, content } = exchange;
    const { refuses, request: change, waitsForRequest, retries } = this.#deviation;
    const refusal = refuses?.(client) ?? this.#finalStatus(client);
    if (refusal !== undefined) return respond(exchange, refusal);
    const stored = this.#cache?.find(client);
    const request = this.#requestOf(client);
    if (stored) {
      if (this.#cache?.fetches) await this.#fetch(request);
      return reuse(exchange, stored);
    }
    if (this.#cache?.isOnlyIfCached(client) === true) return respond(exchange, 504);
    request.fields.push(...(this.#cache?.conditionFor(client) ?? []));
    const expects = listOf(client.fields, 'expect').includes('100-continue');
    const isKept = retries !== undefined && request.framing !== 'none' && !expects;
    if (waitsForRequest?.(client) === true || isKept) {
      if (expects) exchange.sendInterim({ status: 100, fields: [] });
      request.content = await collected(content);
      request.trailers = [...content.trailers];
    }
    change?.(request, client);
    for (let attempt = 1; ; attempt++) {
      const failure = await this.#attempt(exchange, request, attempt);
      if (failure === undefined) break;
      this.#deviation.changesRetry?.(request);
      if (!this.#deviation.replays || !request.content) continue;
      request.content = this.#deviation.replays(request.content);
      if (typeof request.framing === 'object') request.framing = { length: request.content.length };
    }
    if (this.#deviation.repeatsLater?.(client) === true)
      setTimeout(() => void this.#fetch(request), 200);
  }

  /** Requests a response that no client gets, and waits for it. */
  async #fetch(request: OriginRequest): Promise<void> {
    const origin = this.connect();
    origin.on('error', () => undefined);
    origin.write(requestHead(request));
    if (request.content) origin.write(framed(request.framing, request.content, []));
    await once(origin, 'data').catch(() => undefined);
    origin.destroy();
  }

  /** RFC 9110 7.6.2: at 0 the gateway is the final recipient. */
  #finalStatus({ method, fields }: ClientRequest): number | undefined {
    if (!isCounted(method) || this.#deviation.forwardsMaxForwards0) return undefined;
    return valuesOf(fields, 'max-forwards').includes('0') ? 200 : undefined;
  }

  #requestOf(client: ClientRequest): OriginRequest {
    const { receive } = this.#deviation;
    const fields = receive?.(client.fields) ?? client.fields;
    const remaining = this.#endToEnd(fields, OF_GATEWAY).map(([name, value]): FieldLine => {
      const isCount = isCounted(client.method) && isOneOf(name, ['max-forwards']);
      return [name, isCount ? String(Number(value) - 1) : value];
    });
    const crumbs = valuesOf(remaining, 'cookie');
    const ordinary = remaining.filter(
      ([name]) => !isOneOf(name, ['cookie', 'host', 'content-length']),
    );
    const isContinued = client.version !== '1.0';
    const forwarded = valuesOf(fields, 'x-forwarded-for');
    return {
      method: client.method,
      target: client.target,
      version: 'HTTP/1.1',
      host: client.authority,
      fields: [
        ...ordinary.filter(([name]) => isContinued || !isOneOf(name, ['expect'])),
        ...(crumbs.length > 0 ? [['Cookie', crumbs.join('; ')] as const] : []),
        ['Via', `${client.version} ${PSEUDONYM}`],
        ['X-Forwarded-For', [...forwarded, client.address].join(', ')],
        ['X-Forwarded-Proto', client.isSecure ? 'https' : 'http'],
        ['X-Forwarded-Host', client.authority],
        ...certificateFields(client.certificates),
        ...(listOf(fields, 'te').includes('trailers')
          ? ([
              ['TE', 'trailers'],
              ['Connection', 'TE, close'],
            ] as const)
          : [['Connection', 'close'] as const]),
      ],
      framing: client.framing,
      content: undefined,
      trailers: [],
    };
  }

  #endToEnd(fields: readonly FieldLine[], others: readonly string[]): FieldLine[] {
    const { keepsHopByHop = [] } = this.#deviation;
    const listed = listOf(fields, 'connection').filter((name) => !KEPT.has(name));
    const removed = [...HOP_BY_HOP, ...others, ...listed].filter(
      (name) => !keepsHopByHop.includes(name),
    );
    return fields.filter(([name]) => !isOneOf(name, removed));
  }

  /** @returns the failure after which the request is to be sent again */
  async #attempt(
    exchange: Exchange,
    request: OriginRequest,
    attempt: number,
  ): Promise<number | 'closed' | undefined> {
    const { retries, ignoresGone = false, badGateway = 502, sendProxyHeader } = this.#deviation;
    const { lateGone, readsLate } = this.#deviation;
    const origin = this.#connector.connect(sendProxyHeader?.(exchange.request));
    const reader = new ByteReader(origin);
    this.#open.add(origin);
    origin.on('close', () => this.#open.delete(origin));
    origin.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED')
        this.#brokenUntil = performance.now() + (this.#deviation.breaksCircuitFor ?? 0);
    });
    let hasHead = false;
    let headAt = 0;
    const gone = new AbortController();
    if (!ignoresGone) {
      exchange.onGone(() => {
        gone.abort();
        if (typeof lateGone === 'number') setTimeout(() => origin.destroy(), lateGone);
        else if (lateGone === 'as-response-begins' && performance.now() - headAt < 20) return;
        else if (lateGone !== (hasHead ? 'after-response' : 'before-response')) origin.destroy();
      });
    }
    let refusal: number | undefined;
    void this.#send(origin, request, exchange).catch((error: unknown) => {
      if (error instanceof Malformed) refusal = error.status;
      origin.destroy();
    });
    try {
      const response = await this.#readResponse(reader, exchange);
      const { status } = response.head;
      if (readsLate !== undefined) await sleep(readsLate);
      if (retries?.(exchange.request, status, attempt) === true) return status;
      hasHead = true;
      headAt = performance.now();
      await this.#respond(exchange, response, gone.signal);
    } catch {
      const stale = this.#cache?.ifGone(exchange.request);
      if (hasHead) exchange.abort();
      else if (retries?.(exchange.request, 'closed', attempt) === true) return 'closed';
      else if (badGateway === 'none') exchange.abort();
      else if (stale) reuse(exchange, stale);
      else if (badGateway === 'refused-stream') exchange.abort(constants.NGHTTP2_REFUSED_STREAM);
      else respond(exchange, refusal ?? badGateway);
    } finally {
      exchange.onGone(undefined);
      origin.destroy();
    }
    return undefined;
  }

  /** Sends a request, and its content as it comes; a client that breaks it off breaks it off for the origin. */
  async #send(
    origin: Socket,
    request: OriginRequest,
    { request: client, content }: Exchange,
  ): Promise<void> {
    await write(origin, requestHead(request));
    const blocked = this.#deviation.uploadBlocks ? `upload ${client.port}` : undefined;
    if (request.content === undefined) {
      const { readsRequestAhead, holdsRequest } = this.#deviation;
      const sender = new Sender(
        (bytes) => this.#inTurn(blocked, () => write(origin, framed(request.framing, bytes, []))),
        readsRequestAhead,
        holdsRequest,
      );
      let sent = 0;
      for (let piece; (piece = await this.#nextPiece(content, sent)) !== undefined;) {
        sent += piece.length;
        await sender.send(piece);
      }
      await sender.end();
    } else if (request.content.length > 0) {
      await write(origin, framed(request.framing, request.content, []));
    }
    const trailers = request.content === undefined ? content.trailers : request.trailers;
    await write(origin, framed(request.framing, undefined, trailers));
  }

  async #nextPiece(content: Exchange['content'], sent: number): Promise<Buffer | undefined> {
    try {
      return await content.next();
    } catch (error) {
      const { endsTruncatedRequests: ends = false } = this.#deviation;
      if (!(error instanceof Truncated)) throw error;
      if (typeof ends === 'function' ? ends(error, sent) : ends) return undefined;
      throw error;
    }
  }

  /** Sends a piece after those before it are read. @param blocked those that wait; undefined does not wait */
  async #inTurn(blocked: string | undefined, send: () => Promise<void>): Promise<void> {
    if (blocked === undefined) return send();
    const sent = (this.#pending.get(blocked) ?? Promise.resolve()).then(send);
    this.#pending.set(blocked, sent);
    return sent;
  }

  async #readResponse(reader: ByteReader, exchange: Exchange): Promise<OriginResponse> {
    const { readResponseHead, readResponseChunkSize, interim } = this.#deviation;
    const { request } = exchange;
    if (this.#deviation.takesHttp09 && !String(await reader.peek()).startsWith('HTTP')) {
      const content = new ContentReader(reader, 'until-close');
      return { head: { status: 200, fields: [] }, content, framing: 'until-close' };
    }
    for (;;) {
      const [line = '', ...rest] = await reader.section(readResponseHead);
      const [, status] = /^HTTP\/1\.[01] ([1-9]\d{2})(?: .*)?$/.exec(line) ?? [];
      if (status === undefined) throw new Malformed('the status line', 502);
      const head = { status: Number(status), fields: rest.map(parseField) };
      if (head.status === 101) throw new Malformed('a 101 without Upgrade in the request', 502);
      if (head.status < 200) {
        if (this.#deviation.losesJoinedInterim && !reader.isEmpty) continue;
        const changed = interim ? interim(head, request) : head;
        const isExpected =
          head.status !== 100 || listOf(request.fields, 'expect').includes('100-continue');
        if (
          changed &&
          isExpected &&
          (request.version !== '1.0' || this.#deviation.sendsInterimToHttp10)
        ) {
          exchange.sendInterim({ ...changed, fields: this.#endToEnd(changed.fields, []) });
        }
        continue;
      }
      const expects = this.#deviation.expectsContent?.(request, head.status) === true;
      const framing = expects
        ? responseFraming('GET', 200, head.fields)
        : responseFraming(request.method, head.status, head.fields);
      return { head, content: new ContentReader(reader, framing, readResponseChunkSize), framing };
    }
  }

  /** @param gone aborts when the client leaves */
  async #respond(
    exchange: Exchange,
    { head, content, framing }: OriginResponse,
    gone: AbortSignal,
  ): Promise<void> {
    const { request } = exchange;
    const { response: change, waitsForResponse, endsTruncated = false } = this.#deviation;
    const fields = this.#endToEnd(head.fields, head.status === 204 ? ['content-length'] : []);
    const response: ClientResponse = {
      status: head.status,
      fields: [...fields, ...missingDate(fields), ['Via', `1.1 ${PSEUDONYM}`]],
      framing,
      content: undefined,
      trailers: [],
    };
    this.#cache?.invalidate(request, response);
    const freshened = this.#cache?.freshened(request, response);
    if (freshened) return reuse(exchange, freshened);
    const isStored = (this.#cache?.lifetimeOf(request, response) ?? 0) > 0;
    if (isStored || waitsForResponse?.(response, request) === true) {
      response.content = await collected(content, endsTruncated !== false);
      response.trailers = [...content.trailers];
    }
    if (isStored) this.#cache?.store(request, response);
    change?.(response, request);
    exchange.sendHead(response, response.framing);
    if (response.content !== undefined) await exchange.send(response.content);
    if (response.content === undefined) await this.#sendContent(exchange, content, framing);
    while (this.#deviation.endsAfterRequest && !exchange.content.isDone && !gone.aborted)
      await sleep(20);
    const takesTrailers =
      request.version === '2.0' || listOf(request.fields, 'te').includes('trailers');
    const trailers = response.content === undefined ? content.trailers : response.trailers;
    exchange.end(takesTrailers ? trailers : []);
  }

  async #sendContent(exchange: Exchange, content: ContentReader, framing: Framing): Promise<void> {
    const { request } = exchange;
    const { unreadBlocks, readsAhead, holdsResponse } = this.#deviation;
    const { endsTruncated: ends = false, completes } = this.#deviation;
    const blocked = unreadBlocks === 'connection' ? `response ${request.port}` : unreadBlocks;
    const sender = new Sender(
      (bytes) => this.#inTurn(blocked, () => exchange.send(bytes)),
      readsAhead,
      holdsResponse,
    );
    try {
      for (let piece; (piece = await content.next()) !== undefined;) {
        await sender.send(piece);
      }
    } catch (error) {
      if (!(error instanceof Truncated)) throw error;
      const { remaining } = content;
      if (completes) await sender.send(completes(remaining));
      else if (!(typeof ends === 'function' ? ends(request, framing, remaining) : ends))
        throw error;
    }
    await sender.end();
  }
}

/** Whether the hops of a request are counted by Max-Forwards (RFC 9110 7.6.2). */
const isCounted = (method: string): boolean => method === 'OPTIONS' || method === 'TRACE';
