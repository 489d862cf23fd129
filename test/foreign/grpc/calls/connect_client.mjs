// connect-es with its gRPC transport for Node, one for each call.
import { createRequire } from 'node:module';
import { makeAll } from './calls.mjs';

const load = createRequire(process.env.FOREIGN_MODULES);
const { createGrpcTransport, Http2SessionManager } = load('@connectrpc/connect-node');
const { Code, ConnectError, decodeBinaryHeader } = load('@connectrpc/connect');
const { fromBinary } = load('@bufbuild/protobuf');
const { EmptySchema } = load('@bufbuild/protobuf/wkt');

/** A method whose messages are as they are sent: an Empty keeps the fields that it does not know. */
function methodOf(path, isUnary) {
  const [, typeName, name] = path.split('/');
  return {
    kind: 'rpc',
    name,
    parent: { typeName },
    methodKind: isUnary ? 'unary' : 'server_streaming',
    input: EmptySchema,
    output: EmptySchema,
  };
}

await makeAll(async ({ address, method, isUnary, request, metadata, timeout }, report) => {
  const baseUrl = `http://${address}`;
  const sessionManager = new Http2SessionManager(baseUrl);
  const transport = createGrpcTransport({ baseUrl, sessionManager });
  const message = fromBinary(EmptySchema, request);
  const see = (fields) => {
    for (const value of fields.get('a-bin')?.split(',') ?? []) {
      report.seen.push(decodeBinaryHeader(value.trim()));
    }
  };
  const described = methodOf(method, isUnary);
  try {
    const args = [undefined, timeout, metadata];
    if (isUnary) {
      const response = await transport.unary(described, ...args, message);
      report.messages = 1;
      see(response.header);
      see(response.trailer);
    } else {
      const only = (async function* () {
        yield message;
      })();
      const response = await transport.stream(described, ...args, only);
      for await (const _ of response.message) report.messages++;
      see(response.header);
      see(response.trailer);
    }
    report.code = 0;
  } catch (error) {
    const { code, rawMessage, metadata: fields } = ConnectError.from(error, Code.Unknown);
    Object.assign(report, { code, text: rawMessage });
    see(fields);
  }
  sessionManager.abort();
});
