import { field, isMessage, message, optional, repeated, type Field } from './message.ts';
import type { Fields, Message, MessageType } from './message.ts';
import { BOOL, BYTES, INT32, STRING, type EnumType } from './types.ts';

/** What descriptors say of a method. */
export interface MethodDeclaration {
  readonly request: { readonly name: string };
  readonly response: { readonly name: string };
  /** Whether there may be several requests, and below, several responses. */
  readonly streamsRequests?: boolean;
  readonly streamsResponses?: boolean;
}

export interface ServiceDeclaration {
  /** Full, with the package. */
  readonly name: string;
  readonly methods: Readonly<Record<string, MethodDeclaration>>;
}

/** What a .proto file declares. */
export interface ProtoFile {
  /** Path, by which other files import it. */
  readonly name: string;
  readonly package: string;
  readonly imports?: readonly ProtoFile[];
  readonly enums?: readonly EnumType[];
  readonly messages: readonly MessageType<unknown>[];
  readonly services?: readonly ServiceDeclaration[];
}

/** The declarations with this enclosing name, and not those nested in them. */
export function childrenOf<T extends { readonly name: string }>(
  parent: string,
  declarations: readonly T[] = [],
): readonly T[] {
  return declarations.filter(({ name }) => name.slice(0, name.lastIndexOf('.')) === parent);
}

/** The last part of a full name. */
export function simpleName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

// google/protobuf/descriptor.proto, as far as it is used here. Zeros of `optional` are sent: it is proto2.

const FieldDescriptor = message('google.protobuf.FieldDescriptorProto', {
  name: field(1, STRING),
  number: field(3, INT32),
  label: field(4, INT32),
  type: field(5, INT32),
  type_name: field(6, STRING),
  oneof_index: optional(9, INT32),
  json_name: field(10, STRING),
  proto3_optional: field(17, BOOL),
});

const EnumDescriptor = message('google.protobuf.EnumDescriptorProto', {
  name: field(1, STRING),
  value: repeated(
    2,
    message('google.protobuf.EnumValueDescriptorProto', {
      name: field(1, STRING),
      number: optional(2, INT32),
    }),
  ),
});

const Descriptor = message('google.protobuf.DescriptorProto', {
  name: field(1, STRING),
  field: repeated(2, FieldDescriptor),
  /** Encoded, because a declaration cannot contain itself. */
  nested_type: repeated(3, BYTES),
  enum_type: repeated(4, EnumDescriptor),
  options: field(7, message('google.protobuf.MessageOptions', { map_entry: field(7, BOOL) })),
  oneof_decl: repeated(
    8,
    message('google.protobuf.OneofDescriptorProto', { name: field(1, STRING) }),
  ),
});

const ServiceDescriptor = message('google.protobuf.ServiceDescriptorProto', {
  name: field(1, STRING),
  method: repeated(
    2,
    message('google.protobuf.MethodDescriptorProto', {
      name: field(1, STRING),
      input_type: field(2, STRING),
      output_type: field(3, STRING),
      client_streaming: field(5, BOOL),
      server_streaming: field(6, BOOL),
    }),
  ),
});

const FileDescriptor = message('google.protobuf.FileDescriptorProto', {
  name: field(1, STRING),
  package: field(2, STRING),
  dependency: repeated(3, STRING),
  message_type: repeated(4, Descriptor),
  enum_type: repeated(5, EnumDescriptor),
  service: repeated(6, ServiceDescriptor),
  syntax: field(12, STRING),
});

/** The encoded google.protobuf.FileDescriptorProto of a file, byte by byte what protoc makes of its text. */
export function fileDescriptor(file: ProtoFile): Uint8Array {
  return FileDescriptor.encode({
    name: file.name,
    package: file.package,
    dependency: file.imports?.map(({ name }) => name),
    message_type: childrenOf(file.package, file.messages).map((each) => descriptor(each, file)),
    enum_type: childrenOf(file.package, file.enums).map(enumDescriptor),
    service: file.services?.map(({ name, methods }) => ({
      name: simpleName(name),
      method: Object.entries(methods).map(([method, each]) => ({
        name: method,
        input_type: `.${each.request.name}`,
        output_type: `.${each.response.name}`,
        client_streaming: each.streamsRequests,
        server_streaming: each.streamsResponses,
      })),
    })),
    syntax: 'proto3',
  });
}

function descriptor(type: MessageType<unknown>, file: ProtoFile): Message<typeof Descriptor> {
  const oneofs = oneofNames(type.fields);
  const entries = Object.entries<Field<unknown>>(type.fields);
  const maps = entries.flatMap(([name, { key, type: value }]) =>
    key ? [{ name: mapEntryName(name), key, value }] : [],
  );
  const nested = childrenOf(type.name, file.messages).map((each) => descriptor(each, file));
  return {
    name: simpleName(type.name),
    field: entries.map(([name, each]) => fieldDescriptor(name, each, type.name, oneofs)),
    nested_type: [...maps.map(entryDescriptor), ...nested].map((each) => Descriptor.encode(each)),
    enum_type: childrenOf(type.name, file.enums).map(enumDescriptor),
    oneof_decl: oneofs.map((name) => ({ name })),
  };
}

/** Names of the oneofs. A field that is `optional` by itself has one of its own, after the others. */
function oneofNames(fields: Fields): readonly string[] {
  const entries = Object.entries<Field<unknown>>(fields);
  const declared = entries.flatMap(([, { oneof }]) => oneof ?? []);
  const own = entries.flatMap(([name, { label, oneof }]) =>
    label === 'optional' && !oneof ? [`_${name}`] : [],
  );
  return [...new Set(declared), ...own];
}

function fieldDescriptor(
  name: string,
  { number, type, label, key, oneof }: Field<unknown>,
  parent: string,
  oneofs: readonly string[],
): Message<typeof FieldDescriptor> {
  const isNamed = isMessage(type) || 'values' in type;
  const typeName = key ? `${parent}.${mapEntryName(name)}` : isNamed ? type.name : undefined;
  const index = oneofs.indexOf(oneof ?? `_${name}`);
  return {
    name,
    number,
    // LABEL_REPEATED and LABEL_OPTIONAL.
    label: label === 'repeated' ? 3 : 1,
    type: key ? MESSAGE_CODE : type.code,
    type_name: typeName && `.${typeName}`,
    oneof_index: index < 0 ? undefined : index,
    json_name: jsonName(name),
    proto3_optional: label === 'optional' && !oneof,
  };
}

const MESSAGE_CODE = Descriptor.code;

function entryDescriptor({
  name,
  key,
  value,
}: {
  readonly name: string;
  readonly key: Field<unknown>['type'];
  readonly value: Field<unknown>['type'];
}): Message<typeof Descriptor> {
  return {
    name,
    field: [
      fieldDescriptor('key', field(1, key), name, []),
      fieldDescriptor('value', field(2, value), name, []),
    ],
    options: { map_entry: true },
  };
}

function enumDescriptor({ name, values }: EnumType): Message<typeof EnumDescriptor> {
  const value = Object.entries(values).map(([each, number]) => ({ name: each, number }));
  return { name: simpleName(name), value };
}

/** The name in JSON: letters after `_` in upper case. */
function jsonName(name: string): string {
  return name.replaceAll(/_+(.?)/g, (_, letter: string) => letter.toUpperCase());
}

/** `f_values` has messages of the type `FValuesEntry`. */
function mapEntryName(name: string): string {
  const json = jsonName(name);
  return `${json.slice(0, 1).toUpperCase()}${json.slice(1)}Entry`;
}
