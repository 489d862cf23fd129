import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Endpoint } from '../src/http/endpoint.ts';
import type { Exchange } from '../src/http/exchange.ts';
import type { FieldLines } from '../src/http/fields.ts';
import type { Payload } from '../src/http/payload.ts';
import { parseTarget, type Target } from '../src/http/target.ts';
import { Connection } from '../src/wire/connection.ts';

/** What an adapter was given to send. */
export interface Sent {
  readonly status: number;
  readonly fields: Record<string, string>;
  readonly payload: Payload;
  readonly close: boolean;
}

interface Given {
  readonly method?: string;
  readonly version?: string;
  readonly fields?: FieldLines;
  /** Without it the request has no content. */
  readonly incoming?: Readable;
}

/** A request that no wire brought, and whatever is answered to it. */
export class FakeExchange implements Exchange {
  readonly method: string;
  readonly version: string;
  readonly rawTarget: string;
  target: Target | undefined;
  readonly fields: FieldLines;
  readonly connection = new Connection(new Socket());
  readonly ordinal = 1;
  readonly stream = undefined;
  readonly receivedAt = performance.now();
  endpoint: Endpoint | undefined;
  answeredAt = 0;
  status: number | undefined;
  octets = 0;
  readonly hasContent: boolean;
  isSteady: (() => boolean) | undefined;
  onOver: (() => void) | undefined;
  readonly trailers: FieldLines = [];
  readonly incoming: Readable;
  readonly #gone = new AbortController();
  readonly gone = this.#gone.signal;
  readonly sent: Sent[] = [];
  invited = 0;
  /** Thrown by the next `respond`, as HTTP/2 does at a field it cannot send. */
  refusal: Error | undefined;

  constructor(rawTarget: string, given: Given = {}) {
    this.rawTarget = rawTarget;
    this.method = given.method ?? 'GET';
    this.version = given.version ?? 'HTTP/1.1';
    this.target = parseTarget(this.method, rawTarget);
    this.fields = given.fields ?? ['Host', 'a'];
    this.hasContent = given.incoming !== undefined;
    this.incoming = given.incoming ?? Readable.from([]);
    const http2 = this.version === 'HTTP/2.0';
    this.connection.protocol = http2 ? 'h2c' : 'http/1.1';
  }

  invite(): void {
    this.invited++;
  }

  encourage(): void {
    this.invited++;
  }

  respond(status: number, fields: string[], payload: Payload, close: boolean): void {
    const { refusal } = this;
    this.refusal = undefined;
    if (refusal) throw refusal;
    const pairs: Record<string, string> = {};
    for (let at = 0; at < fields.length; at += 2) pairs[fields[at] ?? ''] = fields[at + 1] ?? '';
    this.sent.push({ status, fields: pairs, payload, close });
  }

  refuse(): void {
    this.respond(503, [], '', true);
  }

  leave(): void {
    this.#gone.abort();
  }
}
