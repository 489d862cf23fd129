import { constants, type ServerHttp2Stream } from 'node:http2';
import { valuesOf, type FieldLine, type ResponseHead } from '../../src/check/message.ts';
import type { Forwarder } from './_gateway.ts';
import { grouped, write } from './_gateway-writing.ts';
import { contentLength } from './_gateway-framing.ts';
import { forwardConnect, type UpgradeDeviation } from './_gateway-upgrade.ts';
import { Malformed, Truncated, type Framing } from './_bytes.ts';
import type { ClientRequest, Exchange, Peer } from './_gateway-messages.ts';

/** Serves a stream of HTTP/2. */
export async function serveHttp2(
  stream: ServerHttp2Stream,
  rawHeaders: readonly string[],
  peer: Peer,
  forwarder: Forwarder,
  upgrade?: UpgradeDeviation,
): Promise<void> {
  stream.on('error', () => undefined);
  const lines = pairs(rawHeaders);
  try {
    if (upgrade && valuesOf(lines, ':protocol').includes('websocket'))
      return await forwardConnect(stream, connectOf(lines), forwarder, upgrade.connect ?? {});
    const exchange = new Http2Exchange(
      stream,
      requestOf(lines, stream.readableEnded || stream.endAfterHeaders, peer),
    );
    await forwarder.forward(exchange);
  } catch (error) {
    if (!(error instanceof Malformed)) {
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      if (!(error instanceof Truncated)) throw error;
    } else if (!stream.headersSent && !stream.destroyed) {
      stream.respond({ ':status': error.status }, { endStream: true });
    }
  }
}

export function pairs(raw: readonly string[]): FieldLine[] {
  return raw.flatMap((name, at): FieldLine[] => (at % 2 === 0 ? [[name, raw[at + 1] ?? '']] : []));
}

/** RFC 8441 4. */
function connectOf(lines: readonly FieldLine[]) {
  return {
    target: valuesOf(lines, ':path')[0] ?? '',
    authority: valuesOf(lines, ':authority')[0] ?? '',
    fields: lines.filter(([name]) => !name.startsWith(':')),
  };
}

/** RFC 9113 8.3.1; node:http2 refuses most of what is malformed. */
function requestOf(
  lines: readonly FieldLine[],
  isWithoutContent: boolean,
  peer: Peer,
): ClientRequest {
  const pseudo = (name: string): string => valuesOf(lines, name)[0] ?? '';
  const fields = lines.filter(([name]) => !name.startsWith(':'));
  const target = pseudo(':path');
  const method = pseudo(':method');
  const authority = pseudo(':authority') || (valuesOf(fields, 'host')[0] ?? '');
  if (method === 'CONNECT') throw new Malformed('no tunnels', 501);
  if (!/^[!-~]+$/.test(target) || /[#\\]/.test(target)) throw new Malformed('target');
  if (authority === '' || /[@/\s]/.test(authority)) throw new Malformed(':authority');
  if (fields.some(([, value]) => /^[ \t]|[ \t]$/.test(value))) throw new Malformed('a value');
  const lengths = valuesOf(fields, 'content-length');
  const length: Framing = lengths.length > 0 ? { length: contentLength(lengths) } : 'chunked';
  return {
    version: '2.0',
    method,
    target,
    authority,
    fields,
    framing: isWithoutContent && lengths.length === 0 ? 'none' : length,
    ...peer,
  };
}

class Http2Content {
  readonly #stream: ServerHttp2Stream;
  readonly #pieces: Buffer[] = [];
  #isEnded = false;
  #wake: (() => void) | undefined;
  trailers: readonly FieldLine[] = [];

  constructor(stream: ServerHttp2Stream) {
    this.#stream = stream;
    stream.on('data', (piece: Buffer) => {
      this.#pieces.push(piece);
      stream.pause();
      this.#wake?.();
    });
    stream.on('trailers', (_fields: unknown, _flags: number, raw: string[] = []) => {
      this.trailers = pairs(raw);
    });
    stream.on('end', () => {
      this.#isEnded = true;
      this.#wake?.();
    });
    stream.on('close', () => this.#wake?.());
  }

  get isDone(): boolean {
    return this.#isEnded;
  }

  async next(): Promise<Buffer | undefined> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece) return piece;
      if (this.#isEnded) return undefined;
      if (this.#stream.destroyed) throw new Truncated('the stream was reset', true);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#stream.resume();
      });
    }
  }
}

class Http2Exchange implements Exchange {
  readonly request: ClientRequest;
  readonly content: Http2Content;
  readonly #stream: ServerHttp2Stream;
  #isOver = false;
  #onGone: (() => void) | undefined;
  #trailers: readonly FieldLine[] = [];

  constructor(stream: ServerHttp2Stream, request: ClientRequest) {
    this.#stream = stream;
    this.request = request;
    this.content = new Http2Content(stream);
    stream.on('close', () => {
      if (!this.#isOver) this.#onGone?.();
    });
    // Without trailers node:http2 sends an empty DATA frame with END_STREAM.
    stream.on('wantTrailers', () => stream.sendTrailers(grouped(this.#trailers)));
  }

  onGone(listener: (() => void) | undefined): void {
    this.#onGone = listener;
  }

  sendInterim({ status, fields }: ResponseHead): void {
    if (!this.#stream.destroyed)
      this.#stream.additionalHeaders({ ':status': status, ...grouped(fields) });
  }

  sendHead({ status, fields }: ResponseHead, framing: Framing): void {
    if (this.#stream.destroyed) return;
    const endStream = framing === 'none' || (typeof framing === 'object' && framing.length === 0);
    // What is to have Date has it already.
    const options = { endStream, waitForTrailers: !endStream, sendDate: false };
    this.#stream.respond({ ':status': status, ...grouped(fields) }, options);
  }

  async send(piece: Buffer): Promise<void> {
    await write(this.#stream, piece);
  }

  end(trailers: readonly FieldLine[]): void {
    this.#isOver = true;
    this.#trailers = trailers;
    this.#stream.end();
  }

  abort(code: number = constants.NGHTTP2_INTERNAL_ERROR): void {
    this.#stream.close(code);
  }
}
