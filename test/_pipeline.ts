import { once } from 'node:events';
import { connect } from 'node:net';
import { ResponseRecorder } from '../src/check/client/response-recorder.ts';
import type { ResponseMessage } from '../src/check/message.ts';
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
  const nextReader = (): ResponseRecorder =>
    new ResponseRecorder(requests[answers.length]?.method ?? 'GET', true);
  let reader = nextReader();
  const take = (): void => {
    while (reader.isComplete && reader.response && answers.length < requests.length) {
      const { rest } = reader;
      answers.push(answerOf(reader.response));
      reader = nextReader();
      reader.push(rest);
    }
    if (answers.length === requests.length || reader.malformed !== undefined) socket.destroy();
  };
  socket.on('data', (piece: Buffer) => {
    reader.push(piece);
    take();
  });
  socket
    .on('error', () => undefined)
    .on('end', () => {
      reader.end();
      take();
    });
  socket.write(Buffer.concat(requests.map(bytesOf)));
  await once(socket, 'close');
  return answers;
}

function answerOf({ status, fields, content }: ResponseMessage): Answer {
  const headers: Record<string, string> = {};
  for (const [each, value] of fields) {
    const name = each.toLowerCase();
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  return { status, headers, body: content };
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
