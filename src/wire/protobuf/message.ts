import { ProtobufError, ProtobufReader, Wire, type ValueCount } from './reader.ts';
import { ProtobufWriter } from './writer.ts';
import type { FieldType } from './types.ts';

/** A field of a message; T is the type of its value. */
export interface Field<T> {
  /** Never set. Makes T part of the type. */
  readonly infer?: T;
  readonly number: number;
  readonly type: FieldType<unknown>;
  /** 'implicit': zero is not sent, and equals absent. 'optional': zero is sent. */
  readonly label: 'implicit' | 'optional' | 'repeated';
  /** The oneof that it is a member of. */
  readonly oneof?: string;
  /** Type of the keys of a map; `type` is that of its values. */
  readonly key?: FieldType<unknown>;
  /** What it means, for the .proto file. */
  readonly comment?: string | undefined;
}

/** Declares a field with one value. @param comment for the .proto file */
export function field<T>(number: number, type: FieldType<T>, comment?: string): Field<T> {
  return { number, type, label: 'implicit', comment };
}

/** Declares a field with explicit presence (`optional` in proto3): zero differs from absent. */
export function optional<T>(number: number, type: FieldType<T>, comment?: string): Field<T> {
  return { number, type, label: 'optional', comment };
}

export function repeated<T>(
  number: number,
  type: FieldType<T>,
  comment?: string,
): Field<readonly T[]> {
  return { number, type, label: 'repeated', comment };
}

/** Declares a map: a repeated field of messages with a key and a value. */
export function map<K extends string | number, T>(
  number: number,
  key: FieldType<K>,
  type: FieldType<T>,
): Field<ReadonlyMap<K, T>> {
  return { number, type, key, label: 'repeated' };
}

/** Declares a member of a oneof: a value that is read removes that of other members. */
export function member<T>(oneof: string, number: number, type: FieldType<T>): Field<T> {
  return { number, type, label: 'optional', oneof };
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** A message. A field that is absent is undefined, and means its type's zero. */
export type MessageOf<F extends Fields> = {
  readonly [Name in keyof F]?: F[Name] extends Field<infer T> ? T | undefined : never;
};

/** The type of the messages of a declaration. */
export type Message<M> = M extends MessageType<infer T> ? T : never;

/** A declared message: the codec, and what descriptors and .proto files are made from. */
export interface MessageType<T> extends FieldType<T> {
  /** By name, in the order of their numbers. */
  readonly fields: Fields;
  readonly comment: string | undefined;
  encode(value: T): Uint8Array;
  /**
   * Decodes a message. Unknown fields are skipped. Bytes in the message are views.
   *
   * @param values counts its values, from 0
   * @throws ProtobufError
   */
  decode(bytes: Uint8Array, values?: ValueCount): T;
}

/**
 * Declares a message.
 *
 * @param name full, with the package. The name of an enclosing message before it makes it a nested one.
 */
export function message<const F extends Fields>(
  name: string,
  fields: F,
  comment?: string,
): MessageType<MessageOf<F>> {
  const entries = Object.entries<Field<unknown>>(fields);
  const encoders = entries.map(([key, each]) => [key, encoder(each)] as const);
  const decoders = new Map(
    entries.map(([key, each]) => [
      each.number,
      { key, each, decode: decoder(each), others: otherMembers(fields, key) },
    ]),
  );
  const encode = (value: MessageOf<F>) => {
    const writer = new ProtobufWriter();
    for (const [key, write] of encoders) {
      const each = value[key];
      if (each !== undefined) write(writer, each);
    }
    return writer.written;
  };
  const read = (reader: ProtobufReader, merged?: MessageOf<F>): MessageOf<F> => {
    const values: Record<string, unknown> = { ...merged };
    while (!reader.atEnd) {
      const [number, wireType] = reader.tag();
      const known = decoders.get(number);
      if (!known) reader.skip(number, wireType);
      else {
        for (const other of known.others) delete values[other];
        values[known.key] = known.decode(reader, wireType, values[known.key]);
      }
    }
    // TypeScript cannot build a mapped type in a loop. Each value has its field's type.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return values as MessageOf<F>;
  };
  return {
    name,
    code: 11,
    wireType: Wire.bytes,
    zero: {},
    fields,
    comment,
    encode,
    decode: (bytes, values) => read(new ProtobufReader(bytes, values)),
    read: (reader, merged) => read(reader.nested(), merged),
    write: (writer, value) => writer.bytes(encode(value)),
  };
}

type Encoder = (writer: ProtobufWriter, value: unknown) => void;

function encoder({ number, type, label, key }: Field<unknown>): Encoder {
  const { wireType, zero } = type;
  const write: Encoder = (writer, value) => {
    writer.tag(number, wireType);
    type.write(writer, value);
  };
  if (key) return mapEncoder(number, key, type);
  if (label === 'repeated') return repeatedEncoder(write, number, type);
  if (label === 'optional' || isMessage(type)) return write;
  return (writer, value) => {
    const isZero = value instanceof Uint8Array ? value.length === 0 : Object.is(value, zero);
    if (!isZero) write(writer, value);
  };
}

/** Numbers are packed, as proto3 has it. */
function repeatedEncoder(write: Encoder, number: number, type: FieldType<unknown>): Encoder {
  return (writer, values) => {
    if (!Array.isArray(values) || values.length === 0) return;
    if (type.wireType === Wire.bytes) {
      for (const value of values) write(writer, value);
      return;
    }
    const packed = new ProtobufWriter();
    for (const value of values) type.write(packed, value);
    writer.tag(number, Wire.bytes);
    writer.bytes(packed.written);
  };
}

function mapEncoder(number: number, key: FieldType<unknown>, type: FieldType<unknown>): Encoder {
  const entry = entryType(key, type);
  return (writer, values) => {
    if (!(values instanceof Map)) return;
    for (const [name, value] of values) {
      writer.tag(number, Wire.bytes);
      entry.write(writer, { key: name, value });
    }
  };
}

/** The messages of a map. Zeros are sent. */
function entryType(key: FieldType<unknown>, type: FieldType<unknown>) {
  return message('', { key: optional(1, key), value: optional(2, type) });
}

/** Reads a value. @param previous what the field has already @returns what it has now */
type Decoder = (reader: ProtobufReader, wireType: number, previous: unknown) => unknown;

function decoder({ number, type, label, key }: Field<unknown>): Decoder {
  const expected = key ? Wire.bytes : type.wireType;
  const check = (wireType: number) => {
    if (wireType === expected) return;
    throw new ProtobufError(`field ${number} has wire type ${wireType} instead of ${expected}`);
  };
  if (key) {
    const entry = entryType(key, type);
    return (reader, wireType, previous) => {
      check(wireType);
      const values: Map<unknown, unknown> = previous instanceof Map ? previous : new Map();
      const each = entry.read(reader);
      return values.set(each.key ?? key.zero, each.value ?? type.zero);
    };
  }
  if (label === 'repeated') {
    return (reader, wireType, previous) => {
      const values: unknown[] = Array.isArray(previous) ? previous : [];
      if (wireType === Wire.bytes && expected !== Wire.bytes) {
        const packed = reader.nested();
        while (!packed.atEnd) {
          packed.count();
          values.push(type.read(packed));
        }
      } else {
        check(wireType);
        values.push(type.read(reader));
      }
      return values;
    };
  }
  return (reader, wireType, previous) => {
    check(wireType);
    return type.read(reader, isMessage(type) ? previous : undefined);
  };
}

export function isMessage(type: FieldType<unknown>): type is MessageType<unknown> {
  return 'fields' in type;
}

/** The other members of a field's oneof. */
function otherMembers(fields: Fields, name: string): readonly string[] {
  const oneof = fields[name]?.oneof;
  if (oneof === undefined) return [];
  return Object.keys(fields).filter((other) => other !== name && fields[other]?.oneof === oneof);
}
