import { fieldPairs, fieldValue, type FieldLines } from '../../http/fields.ts';
import { GrpcStatus } from './status.ts';

/** Name and value of an entry of metadata. The value is bytes if the name ends in `-bin`. */
export type MetadataEntry = readonly [name: string, value: string | Uint8Array];
/** Metadata, in order and with repetitions. Names are in lower case. */
export type Metadata = readonly MetadataEntry[];

/** Milliseconds per unit of `grpc-timeout`. */
const UNITS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/** The milliseconds of `grpc-timeout`: at most 8 digits and a unit. undefined if it has another form. */
export function parseTimeout(value: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(value) ?? [];
  const factor = UNITS[unit];
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
}

/** The milliseconds of `grpc-timeout`; undefined without it. @throws GrpcStatus if it is malformed */
export function timeoutOf(fields: FieldLines): number | undefined {
  const value = fieldValue(fields, 'grpc-timeout');
  if (value === undefined) return undefined;
  const timeout = parseTimeout(value);
  if (timeout === undefined) throw new GrpcStatus('INTERNAL', `malformed grpc-timeout: ${value}`);
  return timeout;
}

/** Percent-encodes a status message: all bytes of its UTF-8 but space to tilde, and percent itself. */
export function encodeStatusMessage(message: string): string {
  return Buffer.from(message)
    .toString('latin1')
    .replace(
      /[^ -$&-~]/g,
      (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );
}

/** Fields of the protocol, and of HTTP, which are not metadata of the application. */
export const RESERVED = new Set([
  'connection',
  'content-length',
  'content-type',
  'grpc-accept-encoding',
  'grpc-encoding',
  'grpc-timeout',
  'host',
  'te',
  'transfer-encoding',
]);

/** Maximum binary values of a request. Two characters may be one, which takes a hundred times their memory. */
const MAX_BINARY_VALUES = 1000;

/**
 * The values of all field lines as sent. A line whose name ends in `-bin` may have several, which are decoded, too.
 *
 * @throws GrpcStatus RESOURCE_EXHAUSTED
 */
export function* receivedValues(
  fields: FieldLines,
): Generator<readonly [name: string, value: string, binary: Buffer | undefined]> {
  let binaries = 0;
  for (const [name, line] of fieldPairs(fields)) {
    if (name.toLowerCase().endsWith('-bin')) {
      const values = line.split(',', MAX_BINARY_VALUES + 1);
      binaries += values.length;
      if (binaries > MAX_BINARY_VALUES) {
        const text = `the metadata has more than ${MAX_BINARY_VALUES} binary values`;
        throw new GrpcStatus('RESOURCE_EXHAUSTED', text);
      }
      for (const value of values) yield [name, value, Buffer.from(value, 'base64')];
    } else yield [name, line, undefined];
  }
}

/** The metadata of a request. Values of names that end in `-bin` are decoded. @throws as `receivedValues` */
export function readMetadata(fields: FieldLines): Metadata {
  const metadata: MetadataEntry[] = [];
  for (const [field, value, binary] of receivedValues(fields)) {
    const name = field.toLowerCase();
    if (!name.startsWith(':') && !RESERVED.has(name)) metadata.push([name, binary ?? value]);
  }
  return metadata;
}

/** Metadata as field lines. Binary values are base64 without padding. */
export function writeMetadata(metadata: Metadata): string[] {
  return metadata.flatMap(([name, value]) => [
    name,
    typeof value === 'string' ? value : base64(value),
  ]);
}

/** Bytes as base64 without padding. */
export function base64(bytes: Uint8Array): string {
  return withoutPadding(Buffer.from(bytes).toString('base64'));
}

/** Base64 without padding. Not by `/=+$/`, which takes quadratic time if the text is not base64. */
export function withoutPadding(text: string): string {
  let end = text.length;
  while (text[end - 1] === '=') end--;
  return text.slice(0, end);
}
