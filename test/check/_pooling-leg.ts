import { Agent, createServer, request as send, type IncomingMessage } from 'node:http';
import type { ClientRequest, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listening, type Proxy } from './_gateway-server.ts';

/** What a gateway does wrong with connections to the origin that it keeps. */
export interface PoolDeviation {
  /** Methods that it sends again if a kept connection ends without a response. Default: GET. */
  readonly repeats?: readonly string[];
  /** Answers the next request as if it had been sent on the connection that ended after such a target. */
  readonly usesClosed?: (target: string) => boolean;
  /** The methods of which that is true. Default: all. */
  readonly usesClosedFor?: readonly string[];
  /** Content that it sends again. Default: that of the request. */
  readonly repeatedContent?: Buffer;
  /** Whether it also answers at once, and sends again later. */
  readonly repeatsLater?: boolean;
  /** Whether it keeps connections. Default: true. */
  readonly keepsAlive?: boolean;
  /** Which of its idle connections it uses: that which is idle for longest, or for shortest, the default. */
  readonly scheduling?: 'fifo' | 'lifo';
  /**
   * What becomes of a connection whose response came before the end of the request: it is kept, without the rest of
   * the request, or closed. Default: the gateway waits for all of a request before it sends any.
   */
  readonly unfinished?: 'kept' | 'closed';
  /** Its most connections. Default: as many as there are requests. */
  readonly maxConnections?: number;
}

/** The side of a gateway that keeps its connections to the origin: its other side is HTTP/1.1 too. */
export async function startPoolingLeg(
  originPort: number,
  deviation: PoolDeviation = {},
): Promise<Proxy> {
  const { repeats = ['GET'], usesClosed, keepsAlive = true, maxConnections } = deviation;
  const { usesClosedFor, repeatedContent, repeatsLater = false, scheduling = 'lifo' } = deviation;
  const { unfinished } = deviation;
  const agent = new Agent({
    keepAlive: keepsAlive,
    scheduling,
    ...(maxConnections !== undefined && { maxSockets: maxConnections }),
  });
  let isClosed = false;

  const forward = (from: IncomingMessage, to: ServerResponse, content: Buffer): void => {
    const { method = '', url: path = '', rawHeaders } = from;
    const headers = rawHeaders.filter(
      (_, at) => !/^connection$/i.test(rawHeaders[at - (at % 2)] ?? ''),
    );
    const origin = send({ agent, host: '127.0.0.1', port: originPort, method, path, headers });
    origin.on('response', (response) => {
      to.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(to);
      response.on('aborted', () => to.destroy());
    });
    origin.on('error', () => {
      if (to.headersSent) to.destroy();
      else if (origin.reusedSocket && repeats.includes(method)) {
        if (!repeatsLater) {
          if (repeatedContent) from.rawHeaders = without(rawHeaders, 'content-length');
          forward(from, to, repeatedContent ?? content);
        } else {
          to.writeHead(502).end();
          setTimeout(() => {
            const again = send({
              agent,
              host: '127.0.0.1',
              port: originPort,
              method,
              path,
              headers,
            });
            again.on('error', () => undefined).on('response', (each) => each.resume());
            again.end(content);
          }, 200);
        }
      } else to.writeHead(502).end();
    });
    to.on('close', () => {
      if (!to.writableFinished) origin.destroy();
    });
    if (unfinished === undefined) origin.end(content);
    else stream(from, origin, unfinished);
  };

  const server = createServer({ maxHeaderSize: 256 * 1024 }, (from, to) => {
    const isLost = isClosed && (usesClosedFor?.includes(from.method ?? '') ?? true);
    isClosed = usesClosed?.(from.url ?? '') ?? false;
    if (isLost) {
      to.writeHead(502).end();
      return;
    }
    if (unfinished !== undefined) forward(from, to, Buffer.alloc(0));
    else
      void buffer(from).then(
        (content) => forward(from, to, content),
        () => to.destroy(),
      );
  });
  const proxy = await listening(server, 'http');
  return {
    url: proxy.url,
    close: async () => {
      agent.destroy();
      await proxy.close();
    },
  };
}

/** Forwards the content of a request as it comes, until the response begins. */
function stream(
  from: IncomingMessage,
  origin: ClientRequest,
  unfinished: NonNullable<PoolDeviation['unfinished']>,
): void {
  from.pipe(origin);
  origin.on('response', (response) => {
    if (from.complete) return;
    from.unpipe(origin).resume();
    // Node takes the end for that of the request, also if it has sent less than Content-Length.
    if (unfinished === 'kept') origin.end();
    else response.on('end', () => origin.destroy());
  });
}

/** Fields as node:http has them, without one. */
const without = (raw: readonly string[], name: string): string[] =>
  raw.filter((_, at) => raw[at - (at % 2)]?.toLowerCase() !== name);
