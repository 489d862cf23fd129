import { fieldPairs, type FieldLines } from '../../http/fields.ts';

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

/** The metadata of a request. Values of names that end in `-bin` are decoded; several may be in one line. */
export function readMetadata(fields: FieldLines): Metadata {
  const metadata: MetadataEntry[] = [];
  for (const [field, value] of fieldPairs(fields)) {
    const name = field.toLowerCase();
    if (name.startsWith(':') || RESERVED.has(name)) continue;
    if (!name.endsWith('-bin')) metadata.push([name, value]);
    else for (const part of value.split(',')) metadata.push([name, bytesOf(part)]);
  }
  return metadata;
}

/** Decodes base64. Empty values, of which one line may have thousands, share one object. */
function bytesOf(text: string): Uint8Array {
  return text === '' ? NOTHING : Buffer.from(text, 'base64');
}

const NOTHING = Buffer.alloc(0);

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
