import {
  createServer,
  request as send,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { constants, type ClientHttp2Session } from 'node:http2';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fieldLines } from '../../src/check/client/http1-message.ts';
import type { FieldLine } from '../../src/check/message.ts';
import { hasNoLength } from '../../src/http/status.ts';
import { acceptKey } from '../../src/http/websocket.ts';
import { connectHttp2 } from '../../src/net/http2-sessions.ts';
import { FrameRewriter, type FrameRewriting } from './_frame-rewriter.ts';
import { pairs } from './_gateway-http2.ts';
import { grouped } from './_gateway-writing.ts';
import { listening, type Proxy } from './_gateway-server.ts';

/** What a gateway does wrong towards an origin on HTTP/2. */
export interface LegDeviation {
  /** Changes frames of the origin before they are read. */
  readonly frames?: FrameRewriting;
  /** Sends what the origin does not respond to again, with content made of that of the request. */
  readonly replays?: (content: Buffer) => Buffer;
  /** Milliseconds after which content follows that is sent again, unless the origin has responded (RFC 9113 8.1). */
  readonly replaysAfter?: number;
  /** Whether it forwards a field of requests. */
  readonly fields?: (name: string) => boolean;
  /** Whether it forwards a field of responses. */
  readonly responseFields?: (name: string) => boolean;
  /** Changes the trailers of responses. */
  readonly trailers?: (trailers: readonly string[]) => readonly string[];
  /** Whether a response that is cut off ends as if it were complete. */
  readonly endsTruncated?: boolean;
  /** Whether it waits for all of the content of a request. */
  readonly waitsForContent?: boolean;
  /** Whether it refuses requests after GOAWAY while other streams are open. */
  readonly refusesAfterGoaway?: boolean;
  /** Its most streams at once; more are refused. */
  readonly maxStreams?: number;
  /** Whether a connection has one stream at a time: the others take further connections. */
  readonly hasConnectionPerStream?: boolean;
  /** Whether the origin receives HTTP/2 for calls of gRPC only, and HTTP/1.1 for all else. */
  readonly forGrpcOnly?: boolean;
  /** Whether it pads the frames that it sends. */
  readonly pads?: boolean;
  /** Length of a response with which the connection is not read until its client has left. */
  readonly holdsAbove?: number;
}

/** Of Upgrade, the fields that extended CONNECT has not. */
const HOP_BY_HOP = new Set([
  'connection',
  'host',
  'transfer-encoding',
  'keep-alive',
  'upgrade',
  'sec-websocket-key',
]);

/** The side of a gateway that speaks HTTP/2 to the origin, on one connection: its other side is HTTP/1.1. */
export async function startHttp2Leg(
  originPort: number,
  deviation: LegDeviation = {},
): Promise<Proxy> {
  const leg = new Http2Leg(originPort, deviation);
  const server = createServer({ maxHeaderSize: 256 * 1024 }, (request, response) => {
    const { 'content-type': type = '' } = request.headers;
    if (deviation.forGrpcOnly === true && !type.startsWith('application/grpc')) {
      forwardHttp1(originPort, request, response);
      return;
    }
    leg.forward(request, response).catch(() => response.destroy());
  });
  server.on('upgrade', (request, socket) => {
    socket.on('error', () => undefined);
    leg.upgrade(request, socket);
  });
  const proxy = await listening(server, 'http');
  return {
    url: proxy.url,
    close: async () => {
      leg.close();
      await proxy.close();
    },
  };
}

/** Forwards a request on HTTP/1.1, as it is. */
function forwardHttp1(port: number, from: IncomingMessage, to: ServerResponse): void {
  const { method, url: path, rawHeaders } = from;
  const headers = [...rawHeaders, 'Connection', 'close'];
  const origin = send({ port, host: '127.0.0.1', method, path, headers }, (response) => {
    to.writeHead(response.statusCode ?? 502, response.rawHeaders);
    response.on('error', () => to.destroy());
    response.pipe(to);
  });
  origin.on('error', () => (to.headersSent ? to.destroy() : to.writeHead(502).end()));
  to.on('close', () => !to.writableFinished && origin.destroy());
  from.pipe(origin);
}

const BAD_GATEWAY = 'HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n';

/** 101 for a WebSocket that an origin on HTTP/2 has accepted. */
function switching({ headers }: IncomingMessage, fields: readonly FieldLine[]): string {
  const lines: readonly FieldLine[] = [
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
    ['Sec-WebSocket-Accept', acceptKey(headers['sec-websocket-key'] ?? '')],
    ...fields,
  ];
  return `HTTP/1.1 101 Switching Protocols\r\n${fieldLines(lines)}\r\n`;
}

class Http2Leg {
  readonly #originPort: number;
  readonly #deviation: LegDeviation;
  #session: ClientHttp2Session | undefined;
  /** Connections without a stream, of those that have one at a time. */
  readonly #idle: ClientHttp2Session[] = [];
  #connection: FrameRewriter | undefined;
  #open = 0;

  constructor(originPort: number, deviation: LegDeviation) {
    this.#originPort = originPort;
    this.#deviation = deviation;
  }

  close(): void {
    this.#session?.destroy();
    for (const session of this.#idle) session.destroy();
  }

  async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { replays, waitsForContent = false, refusesAfterGoaway, maxStreams } = this.#deviation;
    const isDraining = this.#session?.closed === true && !this.#session.destroyed;
    if ((refusesAfterGoaway && isDraining) || this.#open >= (maxStreams ?? Infinity)) {
      response.writeHead(503).end();
      return;
    }
    this.#open++;
    response.on('close', () => this.#open--);
    if (!replays && !waitsForContent) {
      await this.#attempt(request, response);
      return;
    }
    const content = await buffer(request);
    const isRefused = await this.#attempt(request, response, content, replays !== undefined);
    if (isRefused) await this.#attempt(request, response, replays?.(content));
  }

  /** Forwards Upgrade as extended CONNECT (RFC 8441 5). */
  upgrade(request: IncomingMessage, socket: Duplex): void {
    const session = this.#connected();
    const open = (): void => {
      const stream = session.request(
        { ...this.#fieldsOf(request), ':method': 'CONNECT', ':protocol': 'websocket' },
        { endStream: false },
      );
      stream.on('error', () => socket.destroy());
      stream.on('response', ({ ':status': status, ...others }) => {
        if (status !== 200) {
          socket.end(BAD_GATEWAY);
          return;
        }
        const lines = Object.entries(others).map(([name, value]) => [name, String(value)] as const);
        socket.write(switching(request, lines));
        stream.pipe(socket).pipe(stream);
      });
      socket.on('close', () => stream.close(constants.NGHTTP2_CANCEL));
    };
    if (session.remoteSettings.enableConnectProtocol) open();
    else session.once('remoteSettings', open);
  }

  /** @returns whether the origin has not responded and the request is to be sent again */
  async #attempt(
    request: IncomingMessage,
    response: ServerResponse,
    content?: Buffer,
    isReplayed = false,
  ): Promise<boolean> {
    const session = this.#connected();
    const stream = session.request(this.#fieldsOf(request), { waitForTrailers: true });
    stream.on('error', () => undefined);
    if (this.#deviation.hasConnectionPerStream === true) {
      this.#session = undefined;
      stream.on('close', () => this.#idle.push(session));
    }
    stream.on('wantTrailers', () => stream.sendTrailers(grouped(pairs(request.rawTrailers))));
    const { replaysAfter } = this.#deviation;
    if (content && !isReplayed && replaysAfter !== undefined) {
      const timer = setTimeout(() => stream.end(content), replaysAfter);
      stream.on('response', () => {
        clearTimeout(timer);
        stream.close(constants.NGHTTP2_NO_ERROR);
      });
    } else if (content) stream.end(content);
    else request.pipe(stream);
    response.on('close', () => {
      if (!response.writableFinished) stream.close(constants.NGHTTP2_CANCEL);
    });
    const { endsTruncated = false, responseFields = () => true } = this.#deviation;
    let trailers: readonly string[] = [];
    let isEnded = false;
    stream.on('response', (_fields, flags, raw?: string[]) => {
      const lines = pairs(raw ?? []);
      const status = Number(lines.find(([name]) => name === ':status')?.[1]);
      const regular = lines.filter(
        ([name]) =>
          !name.startsWith(':') &&
          !(endsTruncated && name === 'content-length') &&
          responseFields(name),
      );
      // Otherwise the end, which came with the header section, would be a chunk of its own.
      const isWhole = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      const mayHaveLength = request.method !== 'HEAD' && !hasNoLength(status);
      if (isWhole && mayHaveLength && !regular.some(([name]) => name === 'content-length'))
        regular.push(['content-length', '0']);
      response.writeHead(status, grouped(regular));
      response.flushHeaders();
      stream.pipe(response, { end: false });
      const length = Number(regular.find(([name]) => name === 'content-length')?.[1] ?? 0);
      if (length > (this.#deviation.holdsAbove ?? Infinity)) {
        this.#connection?.hold();
        response.on('close', () => this.#connection?.release());
      }
    });
    stream.on('trailers', (_fields: unknown, _flags: number, raw: string[] = []) => {
      trailers = raw;
    });
    stream.on('end', () => {
      isEnded = true;
    });
    await new Promise((resolve) => {
      stream.on('close', resolve);
    });
    const { rstCode } = stream;
    if (!response.headersSent && isReplayed) return true;
    if (!response.headersSent) response.writeHead(502).end();
    else if ((!isEnded || stream.aborted || rstCode !== 0) && !endsTruncated) response.destroy();
    else {
      const sent = this.#deviation.trailers?.(trailers) ?? trailers;
      response.addTrailers(grouped(pairs(sent)));
      response.end();
    }
    return false;
  }

  #connected(): ClientHttp2Session {
    const free = this.#session ?? this.#idle.pop();
    if (free && !free.closed && !free.destroyed) return free;
    const socket = connect({ port: this.#originPort, host: '127.0.0.1', noDelay: true });
    const { frames, holdsAbove, pads = false } = this.#deviation;
    this.#connection =
      frames || holdsAbove !== undefined
        ? new FrameRewriter(socket, Buffer.alloc(0), frames ?? {}, 'server')
        : undefined;
    const connection = this.#connection ?? socket;
    const session = connectHttp2('http://localhost', {
      createConnection: () => connection,
      ...(pads && { paddingStrategy: constants.PADDING_STRATEGY_MAX }),
    });
    session.on('error', () => undefined);
    this.#session = session;
    return session;
  }

  #fieldsOf({ method, url, rawHeaders }: IncomingMessage): OutgoingHttpHeaders {
    const lines = pairs(rawHeaders);
    const host = lines.find(([name]) => name.toLowerCase() === 'host')?.[1];
    const { fields = () => true } = this.#deviation;
    const forwarded = lines.filter(([name]) => {
      const lower = name.toLowerCase();
      return !HOP_BY_HOP.has(lower) && fields(lower);
    });
    return {
      ':method': method,
      ':scheme': 'http',
      ':authority': host,
      ':path': url,
      ...grouped(forwarded),
    };
  }
}
