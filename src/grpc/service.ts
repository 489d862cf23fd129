import type { Reply } from '../server/reply.ts';
import type { Request } from '../server/request.ts';
import { Call, type CallLimits } from './call.ts';
import type { Flavor } from './flavor.ts';
import type { ProtoFile } from '../wire/protobuf/descriptor.ts';
import type { MessageType } from '../wire/protobuf/message.ts';

/** A method, for routing and reflection. */
export interface Method {
  readonly request: MessageType<unknown>;
  readonly response: MessageType<unknown>;
  /** Whether there may be several requests, and below, several responses. */
  readonly streamsRequests: boolean;
  readonly streamsResponses: boolean;
  /** Begins a call. @throws GrpcStatus if the request cannot be one */
  readonly begin: (request: Request, flavor: Flavor, limits: CallLimits) => Promise<Reply>;
}

/** A service: the single source of its routes and its reflection. */
export interface Service {
  /** The full name, such as `grpc.testing.TestService`. */
  readonly name: string;
  readonly methods: Readonly<Record<string, Method>>;
}

/** A .proto file with the services that it declares. */
export interface ServedFile extends ProtoFile {
  readonly services?: readonly Service[];
}

/** A method with one request and one response. */
export function unary<Req, Res>(
  request: MessageType<Req>,
  response: MessageType<Res>,
  handle: (message: Req, call: Call<Req, Res>) => Res,
): Method {
  return method<Req, Res>(request, response, [false, false], async (call) => {
    const message = await call.message();
    await call.sendLast(() => handle(message, call));
  });
}

/** A method with one request and any number of responses. */
export function serverStreaming<Req, Res>(
  request: MessageType<Req>,
  response: MessageType<Res>,
  handle: (message: Req, call: Call<Req, Res>) => AsyncIterable<Res>,
): Method {
  return method<Req, Res>(request, response, [false, true], async (call) => {
    await call.sendAll(handle(await call.message(), call));
  });
}

/** A method with any number of requests and one response. */
export function clientStreaming<Req, Res>(
  request: MessageType<Req>,
  response: MessageType<Res>,
  handle: (call: Call<Req, Res>) => Promise<Res>,
): Method {
  return method<Req, Res>(request, response, [true, false], async (call) => {
    const message = await handle(call);
    await call.sendLast(() => message);
  });
}

/** A method with any number of requests and responses, in any order. */
export function bidiStreaming<Req, Res>(
  request: MessageType<Req>,
  response: MessageType<Res>,
  handle: (call: Call<Req, Res>) => AsyncIterable<Res>,
): Method {
  return method<Req, Res>(request, response, [true, true], async (call) => {
    await call.sendAll(handle(call));
  });
}

function method<Req, Res>(
  request: MessageType<Req>,
  response: MessageType<Res>,
  [streamsRequests, streamsResponses]: readonly [boolean, boolean],
  handle: (call: Call<Req, Res>) => Promise<void>,
): Method {
  return {
    request,
    response,
    streamsRequests,
    streamsResponses,
    begin(received, flavor, limits) {
      const call = new Call(received, flavor, { request, response }, limits);
      call.run(handle);
      return call.reply;
    },
  };
}
