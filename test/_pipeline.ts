import { once } from 'node:events';
import { connect } from 'node:net';
import type { Sent } from './_client.ts';

/** A request of a pipeline. */
export interface Asked extends Sent {
  readonly target: string;
}

/** A response of a pipeline. */
export interface Answer {
  readonly status: number;
  /** Lower-case names; lines of one name are joined. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/**
 * Sends all requests at once and reads the responses (RFC 9112 9.3.2): a fraction of the CPU time of
 * a client that waits for each. If the service closes the connection, the rest follows on another.
 */
export async function pipelined(port: number, requests: readonly Asked[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  while (answers.length < requests.length) {
    const got = await onOneConnection(port, requests.slice(answers.length));
    if (got.length === 0) {
      throw new Error(`no response to ${JSON.stringify(requests[answers.length])}`);
    }
    answers.push(...got);
  }
  return answers;
}

async function onOneConnection(port: number, requests: readonly Asked[]): Promise<Answer[]> {
  const socket = connect(port, '127.0.0.1');
  const answers: Answer[] = [];
  let rest = Buffer.alloc(0);
  const read = (isEnd: boolean): void => {
    for (;;) {
      const found = readResponse(rest, requests[answers.length]?.method, isEnd);
      if (!found) return;
      rest = rest.subarray(found.length);
      // Not an interim response (RFC 9110 15.2).
      if (found.answer.status >= 200) answers.push(found.answer);
      if (answers.length === requests.length) socket.destroy();
    }
  };
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    read(false);
  });
  socket.on('error', () => undefined).on('end', () => read(true));
  socket.write(Buffer.concat(requests.map(bytesOf)));
  await once(socket, 'close');
  return answers;
}

function bytesOf({ target, method = 'GET', headers = {}, body }: Asked): Buffer {
  const lines = Object.entries({ host: 'x', ...headers }).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}: ${value}\r\n`),
  );
  const content = Buffer.from(body ?? '');
  if (body !== undefined) lines.push(`content-length: ${content.length}\r\n`);
  const head = `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), content]);
}

/** The first response in the bytes, and its length; undefined if it is not complete. */
function readResponse(
  bytes: Buffer,
  method: string | undefined,
  isEnd: boolean,
): { readonly answer: Answer; readonly length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = Number(statusLine.split(' ')[1]);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  const start = end + 4;
  const complete = (body: Buffer, length: number) => ({
    answer: { status, headers, body },
    length,
  });
  // RFC 9112 6.3.
  if (method === 'HEAD' || status < 200 || status === 204 || status === 304) {
    return complete(Buffer.alloc(0), start);
  }
  if (headers['transfer-encoding'] !== undefined) {
    const chunked = readChunks(bytes, start);
    return chunked && complete(chunked.body, chunked.end);
  }
  const length = headers['content-length'];
  if (length === undefined) {
    return isEnd ? complete(bytes.subarray(start), bytes.length) : undefined;
  }
  const last = start + Number(length);
  return last <= bytes.length ? complete(bytes.subarray(start, last), last) : undefined;
}

/** The chunked content from `start` on (RFC 9112 7.1); undefined if it is not complete. */
function readChunks(
  bytes: Buffer,
  start: number,
): { readonly body: Buffer; readonly end: number } | undefined {
  const pieces: Buffer[] = [];
  for (let at = start; ;) {
    const line = bytes.indexOf('\r\n', at);
    if (line === -1) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    if (size === 0) {
      // The trailer section, if there is any, ends with an empty line.
      const end = bytes.indexOf('\r\n\r\n', line);
      return end === -1 ? undefined : { body: Buffer.concat(pieces), end: end + 4 };
    }
    pieces.push(bytes.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
    if (at > bytes.length) return undefined;
  }
}
