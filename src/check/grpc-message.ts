import type { FieldLine, RequestMessage } from './message.ts';

/** Metadata of an application: in ASCII, in binary, and two values of one name. */
export const METADATA: readonly FieldLine[] = [
  ['check-ascii', 'a b'],
  ['check-bin', 'AAEC/w'],
  ['check-twice', '1'],
  ['check-twice', '2'],
];

/** The fields of a gRPC call. */
export const FIELDS: readonly FieldLine[] = [
  ['content-type', 'application/grpc+proto'],
  ['te', 'trailers'],
  ['grpc-timeout', '5S'],
  ['grpc-encoding', 'identity'],
  ['grpc-accept-encoding', 'identity,gzip'],
  ...METADATA,
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
