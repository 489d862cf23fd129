import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import type { Readable } from 'node:stream';
import type { Transport } from './_client.ts';

/** An answer as it arrives, on a connection of its own. */
export interface Stream {
  /** When content came, in milliseconds since the request, and how much. */
  readonly arrivals: { readonly at: number; readonly length: number }[];
  readonly ended: Promise<void>;
  /** Stops reading, so that the windows fill, or reads on. */
  pause(): void;
  resume(): void;
  /** Goes away at once, with the connection. */
  close(): void;
}

/** Sends a GET. */
export async function openStream(
  transport: Transport,
  port: number,
  target: string,
): Promise<Stream> {
  const start = performance.now();
  const { answer, close } =
    transport === 'h2' || transport === 'h2c'
      ? openHttp2(transport, port, target)
      : openHttp1(transport, port, target);
  const incoming = await answer;
  const arrivals: { at: number; length: number }[] = [];
  incoming.on('data', ({ length }: Buffer) => {
    arrivals.push({ at: performance.now() - start, length });
  });
  incoming.on('error', () => undefined);
  return {
    arrivals,
    ended: new Promise((resolve) => {
      incoming.once('close', resolve);
    }),
    pause: () => incoming.pause(),
    resume: () => incoming.resume(),
    close,
  };
}

interface Opened {
  readonly answer: Promise<Readable>;
  readonly close: () => void;
}

function openHttp1(transport: Transport, port: number, target: string): Opened {
  const options = { port, host: '127.0.0.1', path: target, agent: false };
  const outgoing: ClientRequest =
    transport === 'http/1.1'
      ? http.get(options)
      : https.get({ ...options, rejectUnauthorized: false });
  outgoing.on('error', () => undefined);
  const answer = new Promise<IncomingMessage>((resolve) => {
    outgoing.once('response', resolve);
  });
  return { answer, close: () => outgoing.destroy() };
}

function openHttp2(transport: Transport, port: number, target: string): Opened {
  const scheme = transport === 'h2' ? 'https' : 'http';
  const session = http2.connect(`${scheme}://127.0.0.1:${port}`, { rejectUnauthorized: false });
  session.on('error', () => undefined);
  const stream = session.request({ ':path': target });
  // The header section alone does not tell a reader to start: whoever wants content listens for it.
  return { answer: Promise.resolve(stream), close: () => session.destroy() };
}
