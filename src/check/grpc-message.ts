import type { FieldLine, RequestMessage } from './message.ts';

/** The fields of a gRPC call. */
export const FIELDS: readonly FieldLine[] = [
  ['content-type', 'application/grpc+proto'],
  ['te', 'trailers'],
  ['grpc-timeout', '5S'],
  ['grpc-encoding', 'identity'],
  ['grpc-accept-encoding', 'identity,gzip'],
  ['check-bin', 'AAEC/w'],
];

/** A gRPC message of two bytes with its prefix: a zero byte (not compressed), and the length. */
export const MESSAGE: Buffer = Buffer.of(0, 0, 0, 0, 2, 8, 1);

/** A gRPC call with one message, without its target. */
export const CALL = {
  method: 'POST',
  fields: FIELDS,
  content: MESSAGE,
  framing: 'chunked',
} as const satisfies Omit<RequestMessage, 'target'>;
