import { once } from 'node:events';
import type { ClientHttp2Session, ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2';
import { servedFiles } from '../../src/grpc/files.ts';
import type { Method } from '../../src/grpc/service.ts';
import { beginCall, callWith, framesOf, prefixed } from './_call.ts';

const pod = { namespace: '', ingress: '', service: '', pod: '' };
/** All that is served. */
export const files = servedFiles({ readiness: () => 'ready', pod });

type Value = Readonly<Record<string, unknown>>;

/** A method by `service/name`. */
function methodOf(path: string): Method {
  const [service, name = ''] = path.split('/');
  const services = files.flatMap((file) => file.services ?? []);
  const method = services.find((each) => each.name === service)?.methods[name];
  if (!method) throw new Error(`there is no ${path}`);
  return method;
}

/** What came back of a call: messages, and the status by number and text. */
export interface Result {
  readonly messages: readonly unknown[];
  readonly status: string | undefined;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly trailers: Readonly<Record<string, unknown>>;
  readonly reset: number;
}

/** Calls a method by `service/name`. */
export async function call(
  session: ClientHttp2Session,
  path: string,
  requests: Value | readonly Value[] = {},
  fields?: OutgoingHttpHeaders,
): Promise<Result> {
  const { request, response } = methodOf(path);
  const messages = [requests].flat().map((each) => request.encode(each));
  const { frames, headers, trailers, reset } = await callWith(
    session,
    `/${path}`,
    messages,
    fields,
  );
  return {
    messages: frames.map(([, content]) => response.decode(content)),
    status: trailers['grpc-status']?.toString(),
    text: decodeURIComponent(String(trailers['grpc-message'] ?? '')),
    headers,
    trailers,
    reset,
  };
}

/** A call whose messages are sent and taken one by one. */
export interface Conversation {
  readonly stream: ClientHttp2Stream;
  readonly send: (message: Value) => void;
  readonly receive: () => Promise<unknown>;
}

export function converse(session: ClientHttp2Session, path: string): Conversation {
  const { request, response } = methodOf(path);
  const stream = beginCall(session, `/${path}`);
  stream.on('error', () => undefined);
  let bytes = Buffer.alloc(0);
  stream.on('data', (piece: Buffer) => (bytes = Buffer.concat([bytes, piece])));
  return {
    stream,
    send: (message) => void stream.write(prefixed(request.encode(message))),
    async receive() {
      while (bytes.length < 5 || bytes.length < 5 + bytes.readUInt32BE(1)) {
        await once(stream, 'data');
      }
      const end = 5 + bytes.readUInt32BE(1);
      const [[, content] = [0, Buffer.alloc(0)]] = framesOf(bytes.subarray(0, end));
      bytes = bytes.subarray(end);
      return response.decode(content);
    },
  };
}
