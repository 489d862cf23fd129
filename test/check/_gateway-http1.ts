import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { fieldLines } from '../../src/check/client/http1-message.ts';
import { listOf, valuesOf, type FieldLine, type ResponseHead } from '../../src/check/message.ts';
import {
  ByteReader,
  ContentReader,
  framed,
  isToken,
  Malformed,
  parseField,
  Truncated,
  type Framing,
} from './_bytes.ts';
import type { Forwarder } from './_gateway.ts';
import { write } from './_gateway-writing.ts';
import { contentLength } from './_gateway-framing.ts';
import { forwardUpgrade, isWebSocket } from './_gateway-upgrade.ts';
import type { ClientRequest, Deviation, Exchange, Peer } from './_gateway-messages.ts';

/** Milliseconds until a connection is closed silently: the client has read the response before. */
const LATER = 20;

/** Serves a connection on HTTP/1.1, one request after the other. */
export async function serveHttp1(
  socket: Duplex,
  first: Buffer,
  peer: Peer,
  forwarder: Forwarder,
  deviation: Deviation,
): Promise<void> {
  const answer = deviation.rawAnswer?.(first.toString('latin1'));
  if (answer !== undefined) {
    socket.end(answer);
    socket.resume();
    return;
  }
  const raw = deviation.raw?.(first.toString('latin1'));
  if (raw !== undefined) return relay(socket, raw, forwarder, deviation.rawResponse);
  const reader = new ByteReader(socket, first);
  let number = 0;
  try {
    if (deviation.refusesSplitHead && !first.includes('\r\n\r\n')) throw new Malformed('split');
    for (let isOpen = true; isOpen;) {
      number++;
      const isAfterEmptyLine = /^\r?\n/.test(String(await reader.peek()));
      const { readSplitHead } = deviation;
      const isSplit = readSplitHead && !first.includes('\r\n\r\n');
      const request = await readRequest(reader, peer, {
        ...deviation,
        ...(isSplit && { readHead: readSplitHead }),
      });
      if (deviation.dropsPipelined === 'joined') reader.discard();
      const dropsLater = deviation.dropsPipelined === 'later' && reader.isEmpty;
      if (deviation.answersEmptyLine && isAfterEmptyLine) socket.write(BAD_REQUEST);
      if (deviation.closesAtEmptyLine && isAfterEmptyLine && number > 1)
        throw new Malformed('empty line');
      if (deviation.upgrade && isWebSocket(request)) {
        isOpen = await forwardUpgrade(socket, reader, request, forwarder, deviation.upgrade);
        continue;
      }
      const { readChunkSize, ignoresChunkEnd } = deviation;
      const content = new ContentReader(reader, request.framing, readChunkSize, ignoresChunkEnd);
      const exchange = new Http1Exchange(socket, reader, request, content, deviation);
      await forwarder.forward(exchange);
      await exchange.finished;
      if (dropsLater) reader.discard();
      isOpen = exchange.isPersistent;
      if (number === deviation.closesSilently) {
        await pause(LATER);
        isOpen = false;
      }
    }
  } catch (error) {
    if (error instanceof Malformed) {
      const { status, message } = error;
      const isPreface = deviation.forwardsPreface === true && status === 505;
      if (isPreface || deviation.forwardsMalformed) {
        const origin = forwarder.connect();
        origin.on('error', () => undefined).pipe(socket);
        origin.write(isPreface ? 'PRI * HTTP/2.0\r\n\r\n' : first);
        for (let piece; (piece = await reader.some(Infinity));) origin.write(piece);
        origin.destroy();
        return;
      }
      const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\n`;
      socket.write(`${head}Content-Length: ${message.length}\r\n\r\n${message}`);
    } else if (!(error instanceof Truncated)) throw error;
  }
  // RFC 9112 9.6: what the client still sends is read, so that it is not reset before it has read all.
  socket.end();
  socket.resume();
}

const BAD_REQUEST = 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n';
/** Forwards bytes that are not read. */
function relay(
  socket: Duplex,
  raw: string,
  forwarder: Forwarder,
  change: Deviation['rawResponse'] = (text) => text,
): void {
  const origin = forwarder.connect();
  origin.on('error', () => undefined);
  origin.on('end', () => {
    origin.end();
    socket.end();
  });
  origin.on('data', (piece: Buffer) => socket.write(change(piece.toString('latin1')), 'latin1'));
  origin.write(raw, 'latin1');
  socket.on('close', () => origin.destroy()).pipe(origin);
}

const REQUEST_LINE = /^(\S+) (\S+) (HTTP\/\d\.\d)$/;
const HOST = /^(?:\[[\d:a-f.]+\]|[\w.~%!$&'()*+,;=-]*)(?::\d*)?$/i;

async function readRequest(
  reader: ByteReader,
  peer: Peer,
  { readHead }: Deviation,
): Promise<ClientRequest> {
  let lines = await reader.section(readHead);
  // RFC 9112 2.2: an empty line before a request is ignored.
  if (lines.length === 0) lines = await reader.section(readHead);
  const [line = '', ...rest] = lines;
  const [, method = '', target = '', version = ''] = REQUEST_LINE.exec(line) ?? [];
  if (!isToken(method)) throw new Malformed('request line');
  if (!/^HTTP\/1\.[01]$/.test(version)) throw new Malformed('version', 505);
  const fields = rest.map(parseField);
  const { path, host } = parseTarget(method, target);
  const hosts = valuesOf(fields, 'host');
  const [authority = ''] = host === undefined ? hosts : [host];
  if (hosts.length > 1 || (hosts.length === 0 && version === 'HTTP/1.1'))
    throw new Malformed('Host');
  if (!HOST.test(authority) || !HOST.test(hosts[0] ?? '')) throw new Malformed('Host');
  return {
    version: version === 'HTTP/1.0' ? '1.0' : '1.1',
    method,
    target: path,
    authority,
    fields,
    framing: requestFraming(fields, version),
    ...peer,
  };
}

/** RFC 9112 3.2. */
function parseTarget(method: string, target: string): { path: string; host?: string } {
  if (method === 'CONNECT') throw new Malformed('no tunnels', 501);
  if (!/^[!-~]+$/.test(target) || /[#\\]/.test(target)) throw new Malformed('target');
  const [, host, path] = /^https?:\/\/([^/?]+)(.*)$/i.exec(target) ?? [];
  if (host !== undefined && path !== undefined) return { path: path.replace(/^(?!\/)/, '/'), host };
  if (target.startsWith('/') || (target === '*' && method === 'OPTIONS')) return { path: target };
  throw new Malformed('target');
}

/** RFC 9112 6.3. */
function requestFraming(fields: readonly FieldLine[], version: string): Framing {
  const codings = valuesOf(fields, 'transfer-encoding');
  const lengths = valuesOf(fields, 'content-length');
  if (codings.length > 0) {
    if (lengths.length > 0 || version === 'HTTP/1.0') throw new Malformed('Transfer-Encoding');
    if (codings.join().toLowerCase() !== 'chunked') throw new Malformed('Transfer-Encoding', 501);
    return 'chunked';
  }
  return lengths.length === 0 ? 'none' : { length: contentLength(lengths) };
}

class Http1Exchange implements Exchange {
  readonly request: ClientRequest;
  readonly content: ContentReader;
  readonly #socket: Duplex;
  readonly #reader: ByteReader;
  readonly #deviation: Deviation;
  #framing: Framing = 'none';
  #hasContent = true;
  isPersistent: boolean;
  readonly finished: Promise<void>;
  #finish: () => void = () => undefined;

  constructor(
    socket: Duplex,
    reader: ByteReader,
    request: ClientRequest,
    content: ContentReader,
    deviation: Deviation,
  ) {
    this.#socket = socket;
    this.#reader = reader;
    this.request = request;
    this.content = content;
    this.#deviation = deviation;
    const isOffered =
      request.version === '1.1' && !listOf(request.fields, 'connection').includes('close');
    this.isPersistent = deviation.keepsAlive?.(request) ?? isOffered;
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  onGone(listener: (() => void) | undefined): void {
    this.#reader.onEnd(listener);
  }

  sendInterim({ status, fields }: ResponseHead): void {
    this.#writeHead(status, fields);
  }

  sendHead(
    { version, status, fields }: Parameters<Exchange['sendHead']>[0],
    framing: Framing,
  ): void {
    this.#framing = this.#framingFor(framing);
    this.#hasContent = framing !== 'none';
    if (this.#framing === 'until-close') this.isPersistent = false;
    const lines = [...fields];
    if (this.#framing === 'chunked') lines.push(['Transfer-Encoding', 'chunked']);
    if (!this.isPersistent) lines.push(['Connection', 'close']);
    this.#writeHead(status, lines, version);
  }

  async send(piece: Buffer): Promise<void> {
    if (this.#hasContent && piece.length > 0)
      await write(this.#socket, framed(this.#framing, piece, []));
  }

  end(trailers: readonly FieldLine[]): void {
    if (this.#hasContent) this.#socket.write(framed(this.#framing, undefined, trailers));
    this.isPersistent &&= this.content.isDone || this.#deviation.keepsUnread === true;
    this.#finish();
  }

  abort(): void {
    this.isPersistent = false;
    // Without a length only RST tells that the response is not complete.
    if (this.#framing === 'until-close') this.#socket.destroy(new Error('incomplete'));
    this.#finish();
  }

  #framingFor(framing: Framing): Framing {
    if (framing !== 'chunked' && framing !== 'until-close') return framing;
    return this.request.version === '1.0' && !this.#deviation.chunksForHttp10
      ? 'until-close'
      : 'chunked';
  }

  #writeHead(status: number, fields: readonly FieldLine[], version = 'HTTP/1.1'): void {
    const line = `${version} ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
    this.#socket.write(`${line}${fieldLines(fields)}\r\n`, 'latin1');
  }
}
