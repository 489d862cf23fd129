import { connectHttp2 } from '../../src/net/http2-sessions.ts';

/** A request of the demonstration. */
export interface Sent {
  readonly method?: string;
  /** `{key}` becomes a key that is used once. */
  readonly path: string;
  readonly content?: string;
  /** How often the client sends it until the response is no server error. Default: once. */
  readonly attempts?: number;
}

/** A part of the demonstration: what is sent meanwhile, and what a presenter says. */
export interface Act {
  readonly title: string;
  readonly look: string;
  readonly requests: readonly Sent[];
}

export const ordinary: Act = {
  title: 'Ordinary requests: echoes, downloads, uploads, slow streams',
  look: 'the tap: requests of all proxies, on which connections, and how those are reused',
  requests: [
    { path: '/anything?from=demo' },
    { path: '/range/65536' },
    { method: 'POST', path: '/upload', content: 'wirebin '.repeat(4096) },
    { path: '/sse?count=3&duration=0.3' },
    { path: '/respond?status=200&header=Cache-Control:no-store&body=hello' },
    { path: '/drip?numbytes=5&duration=0.5' },
    { path: '/gzip' },
    { method: 'PUT', path: '/put', content: '{"demo":true}' },
    { path: '/delay/0.2' },
  ],
};

export const faults: Act = {
  title: 'Faults: connections that are reset, responses that are cut off or malformed',
  look: 'what each proxy makes of them: some are 502 to the client, others reach it',
  requests: [
    { path: '/fault/reset?at=body&after=50%25' },
    { path: '/status/503' },
    { path: '/fault/content-length?declared=26&sent=10' },
    { path: '/fault/garbage' },
    { path: '/anything/between' },
    { path: '/fault/stall?for=0.5&at=body' },
    { path: '/fault/head?how=bare-lf' },
    { path: '/fault/close' },
  ],
};

export const retries: Act = {
  title: 'Retries: the first attempts of each request fail, and clients try again',
  look: 'how many attempts have arrived: a proxy that tries again itself sends more',
  requests: [
    { path: '/retry/{key}?fail=2', attempts: 4 },
    { path: '/retry/{key}?with=reset', attempts: 4 },
    { method: 'PUT', path: '/retry/{key}?with=close', content: 'content', attempts: 4 },
  ],
};

/** Where clients send requests: a proxy, or wirebin itself. */
export interface Way {
  /** Begins its keys. */
  readonly name: string;
  readonly title: string;
  /** The URL for HTTP/1.1. */
  readonly plain: string;
  /** The URL for HTTP/2. */
  readonly secure: string;
}

/** What has become of requests. */
export interface Outcome {
  /** How many requests, by status, or by `FAILED`. */
  readonly counts: ReadonlyMap<string, number>;
  readonly keys: readonly string[];
}

/** The response has not arrived, or not whole. */
export const FAILED = 'broken off';

/** Milliseconds between two requests of a client: slow enough to follow in the tap. */
const PAUSE = 200;
const TIMEOUT = 10_000;

/** Sends the requests in turn, on HTTP/1.1 and HTTP/2, until it is over; each once at least. */
export async function play(
  way: Way,
  requests: readonly Sent[],
  isOver: () => boolean,
): Promise<Outcome> {
  const counts = new Map<string, number>();
  const keys: string[] = [];
  for (let round = 0; round === 0 || !isOver(); round++) {
    const url = round % 2 === 0 ? way.plain : way.secure;
    for (const [at, { path, attempts = 1, ...request }] of requests.entries()) {
      const key = `${way.name}-${round}-${at}`;
      if (path.includes('{key}')) keys.push(key);
      for (let attempt = 1, status = ''; attempt <= attempts && !/^[1-4]/.test(status); attempt++) {
        status = await send(url, { ...request, path: path.replace('{key}', key) });
        counts.set(status, (counts.get(status) ?? 0) + 1);
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }
  return { counts, keys };
}

/** @returns the status of a whole response, or `FAILED` */
async function send(url: string, { path, method = 'GET', content }: Sent): Promise<string> {
  try {
    if (url.startsWith('https:')) return await sendHttp2(url, method, path, content);
    const init = { method, body: content ?? null, signal: AbortSignal.timeout(TIMEOUT) };
    const response = await fetch(url + path, init);
    await response.arrayBuffer();
    return String(response.status);
  } catch {
    return FAILED;
  }
}

/** On a connection of its own, whatever the certificate is. */
async function sendHttp2(
  url: string,
  method: string,
  path: string,
  content?: string,
): Promise<string> {
  const session = connectHttp2(url, { rejectUnauthorized: false });
  try {
    return await new Promise((resolve, reject) => {
      session.once('error', reject).once('close', () => reject(new Error('closed')));
      const stream = session.request({ ':method': method, ':path': path });
      let status = '';
      stream.once('response', (fields) => (status = String(fields[':status']).padStart(3, '0')));
      stream.once('error', reject).once('end', () => resolve(status));
      stream.setTimeout(TIMEOUT, () => reject(new Error('timeout')));
      stream.resume().end(content);
    });
  } finally {
    session.close();
  }
}
