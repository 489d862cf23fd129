import { isUtf8 } from 'node:buffer';
import { ProtobufError, Wire, type ProtobufReader } from './reader.ts';
import type { ProtobufWriter } from './writer.ts';

/** The type of a field. */
export interface FieldType<T> {
  /** `int32`, or the full name of a message or an enumeration. */
  readonly name: string;
  /** Its number in google.protobuf.FieldDescriptorProto.Type. */
  readonly code: number;
  readonly wireType: number;
  /** The value of a field that is absent. */
  readonly zero: T;
  /** @param merged value that the field has already; only messages use it */
  read(reader: ProtobufReader, merged?: T): T;
  write(writer: ProtobufWriter, value: T): void;
}

function scalar<T>(
  name: string,
  code: number,
  wireType: number,
  zero: T,
  read: (reader: ProtobufReader) => T,
  write: (writer: ProtobufWriter, value: T) => void,
): FieldType<T> {
  return { name, code, wireType, zero, read, write };
}

const { varint, fixed64, fixed32, bytes } = Wire;

export const DOUBLE = scalar(
  'double',
  1,
  fixed64,
  0,
  (reader) => reader.double(),
  (writer, value) => writer.double(value),
);
export const FLOAT = scalar(
  'float',
  2,
  fixed32,
  0,
  (reader) => reader.float(),
  (writer, value) => writer.float(value),
);
export const INT64 = scalar(
  'int64',
  3,
  varint,
  0n,
  (reader) => BigInt.asIntN(64, reader.uint64()),
  (writer, value) => writer.uint64(value),
);
export const UINT64 = scalar(
  'uint64',
  4,
  varint,
  0n,
  (reader) => reader.uint64(),
  (writer, value) => writer.uint64(value),
);
export const INT32 = scalar(
  'int32',
  5,
  varint,
  0,
  (reader) => reader.uint32() | 0,
  (writer, value) => writer.int32(value),
);
export const BOOL = scalar(
  'bool',
  8,
  varint,
  false,
  (reader) => reader.bool(),
  (writer, value) => writer.uint32(Number(value)),
);
export const STRING = scalar('string', 9, bytes, '', readText, (writer, value) =>
  writer.text(value),
);
export const BYTES = scalar<Uint8Array>(
  'bytes',
  12,
  bytes,
  new Uint8Array(0),
  (reader) => reader.bytes(),
  (writer, value) => writer.bytes(value),
);
export const UINT32 = scalar(
  'uint32',
  13,
  varint,
  0,
  (reader) => reader.uint32(),
  (writer, value) => writer.uint32(value),
);

function readText(reader: ProtobufReader): string {
  const text = reader.bytes();
  if (!isUtf8(text)) throw new ProtobufError('string is not UTF-8');
  return text.toString('utf8');
}

/** An enumeration. Its values are numbers, of which some have no name (open, as all of proto3). */
export interface EnumType<Names extends string = string> extends FieldType<number> {
  readonly values: Readonly<Record<Names, number>>;
}

/** Declares an enumeration. @param name full, with the package; the first value must be 0 */
export function enumeration<const Names extends string>(
  name: string,
  values: Readonly<Record<Names, number>>,
): EnumType<Names> {
  return { ...INT32, name, code: 14, values };
}
