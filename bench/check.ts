import http, { type IncomingHttpHeaders } from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import type { Scenario } from './scenarios.ts';
import type { Server } from './servers.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Asks once (twice where answers must differ) and looks at every byte: a fast wrong answer is worth
 * nothing.
 *
 * @throws where the answer is not the scenario's, saying in what
 */
export async function checkAnswer(server: Server, url: string, scenario: Scenario): Promise<void> {
  const answer = await ask(url, scenario);
  // What stands in for the path at a peer is the peer's own affair.
  const isOwn = server.target(scenario) === scenario.path;
  const expected = isOwn ? scenario : { ...scenario, length: undefined, content: ANYTHING };
  const wrong = complaintOf(answer, expected);
  if (wrong !== undefined) throw new Error(`${server.name} answers ${scenario.name} ${wrong}`);
  if (scenario.content.kind === 'random' && server.isFresh) {
    const { body } = await ask(url, scenario);
    if (body.equals(answer.body)) throw new Error(`${server.name} repeats its random bytes`);
  }
}

const ANYTHING = { kind: 'any' } as const;
const CODE_OF_A = 97;

/** What is wrong with the answer, undefined for nothing. */
export function complaintOf(answer: Answer, scenario: Scenario): string | undefined {
  const { status, headers, body } = answer;
  const { content, length } = scenario;
  if (status !== scenario.status) return `with ${status}`;
  if (length !== undefined && body.length !== length) return `with ${body.length} bytes`;
  if (length !== undefined && headers['content-length'] !== String(length)) {
    return `with Content-Length ${headers['content-length']}`;
  }
  switch (content.kind) {
    case 'any':
      return undefined;
    case 'text':
      return body.toString() === content.text ? undefined : 'with another text';
    case 'echo':
      return /^\s*\{[^]*"method":\s*"GET"[^]*\}\s*$/.test(body.toString())
        ? undefined
        : 'with no echo';
    case 'random':
      return new Set(body).size > 200 ? undefined : 'with bytes that are not random';
    case 'pattern': {
      const at = body.findIndex((byte, i) => byte !== CODE_OF_A + ((content.offset + i) % 26));
      return at < 0 ? undefined : `with another byte at ${at}`;
    }
  }
}

const TIME_LIMIT = 10_000;

async function ask(url: string, { protocol, range }: Scenario): Promise<Answer> {
  const headers = range === undefined ? {} : { range };
  const asking = protocol.startsWith('h2') ? askOver2(url, headers) : askOver1(url, headers);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer from ${url}`)), TIME_LIMIT);
  });
  try {
    return await Promise.race([asking, late]);
  } finally {
    clearTimeout(timer);
  }
}

function askOver1(url: string, headers: Record<string, string>): Promise<Answer> {
  const { get } = url.startsWith('https') ? https : http;
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false, rejectUnauthorized: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          body: Buffer.concat(chunks),
        }),
      );
    }).on('error', reject);
  });
}

async function askOver2(url: string, headers: Record<string, string>): Promise<Answer> {
  const session = http2.connect(url, { rejectUnauthorized: false });
  try {
    return await new Promise((resolve, reject) => {
      session.on('error', reject);
      const stream = session.request({ ':path': new URL(url).pathname, ...headers });
      const chunks: Buffer[] = [];
      stream.on('response', (fields) => {
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () =>
          resolve({
            status: fields[':status'] ?? 0,
            headers: fields,
            body: Buffer.concat(chunks),
          }),
        );
      });
      stream.on('error', reject);
    });
  } finally {
    session.destroy();
  }
}
