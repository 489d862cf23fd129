import { codeOf, type StatusName } from '../../wire/grpc/status.ts';
import { fileDescriptor, type ProtoFile } from '../../wire/protobuf/descriptor.ts';
import { field, member, message, repeated, type Message } from '../../wire/protobuf/message.ts';
import { BYTES, INT32, STRING } from '../../wire/protobuf/types.ts';
import { bidiStreaming, type ServedFile } from '../service.ts';

/**
 * Server reflection (grpc/grpc doc/server-reflection.md). Both versions have the same messages.
 *
 * @param files returns all that are served
 */
export function reflection(
  version: 'v1' | 'v1alpha',
  files: () => readonly ProtoFile[],
): ServedFile {
  const prefix = `grpc.reflection.${version}`;
  const types = declareMessages(prefix);
  const { ServerReflectionRequest: Request, ServerReflectionResponse: Response } = types;
  /** Of all calls: the files are the same. */
  let index: Index | undefined;
  const info = bidiStreaming(Request, Response, async function* (call) {
    index ??= new Index(files());
    const sent = new Set<ProtoFile>();
    for await (const request of call.messages()) {
      yield { valid_host: request.host, original_request: request, ...index.answer(request, sent) };
    }
  });
  return {
    name: `grpc/reflection/${version}/reflection.proto`,
    package: prefix,
    messages: Object.values(types),
    services: [{ name: `${prefix}.ServerReflection`, methods: { ServerReflectionInfo: info } }],
  };
}

function declareMessages(prefix: string) {
  const ExtensionRequest = message(`${prefix}.ExtensionRequest`, {
    containing_type: field(1, STRING),
    extension_number: field(2, INT32),
  });
  const ServerReflectionRequest = message(`${prefix}.ServerReflectionRequest`, {
    host: field(1, STRING),
    file_by_filename: member('message_request', 3, STRING),
    file_containing_symbol: member('message_request', 4, STRING),
    file_containing_extension: member('message_request', 5, ExtensionRequest),
    all_extension_numbers_of_type: member('message_request', 6, STRING),
    list_services: member('message_request', 7, STRING),
  });
  const FileDescriptorResponse = message(`${prefix}.FileDescriptorResponse`, {
    file_descriptor_proto: repeated(1, BYTES),
  });
  const ExtensionNumberResponse = message(`${prefix}.ExtensionNumberResponse`, {
    base_type_name: field(1, STRING),
    extension_number: repeated(2, INT32),
  });
  const ServiceResponse = message(`${prefix}.ServiceResponse`, { name: field(1, STRING) });
  const ListServiceResponse = message(`${prefix}.ListServiceResponse`, {
    service: repeated(1, ServiceResponse),
  });
  const ErrorResponse = message(`${prefix}.ErrorResponse`, {
    error_code: field(1, INT32),
    error_message: field(2, STRING),
  });
  const ServerReflectionResponse = message(`${prefix}.ServerReflectionResponse`, {
    valid_host: field(1, STRING),
    original_request: field(2, ServerReflectionRequest),
    file_descriptor_response: member('message_response', 4, FileDescriptorResponse),
    all_extension_numbers_response: member('message_response', 5, ExtensionNumberResponse),
    list_services_response: member('message_response', 6, ListServiceResponse),
    error_response: member('message_response', 7, ErrorResponse),
  });
  return {
    ServerReflectionRequest,
    ExtensionRequest,
    ServerReflectionResponse,
    FileDescriptorResponse,
    ExtensionNumberResponse,
    ListServiceResponse,
    ServiceResponse,
    ErrorResponse,
  };
}

type Types = ReturnType<typeof declareMessages>;
type Request = Message<Types['ServerReflectionRequest']>;
type Answer = Message<Types['ServerReflectionResponse']>;

/** Where each symbol is declared. */
class Index {
  readonly #files: readonly ProtoFile[];
  readonly #symbols = new Map<string, ProtoFile>();
  readonly #messages: ReadonlySet<string>;

  constructor(files: readonly ProtoFile[]) {
    this.#files = files;
    this.#messages = new Set(files.flatMap(({ messages }) => messages.map(({ name }) => name)));
    for (const file of files) {
      for (const symbol of symbolsOf(file)) this.#symbols.set(symbol, file);
    }
  }

  /** @param sent files that the client has already; those of the answer are added */
  answer(request: Request, sent: Set<ProtoFile>): Answer {
    const { file_by_filename: path, file_containing_symbol: symbol } = request;
    const { file_containing_extension: extension, all_extension_numbers_of_type: type } = request;
    if (path !== undefined) {
      return this.#descriptors(
        this.#files.find(({ name }) => name === path),
        `file ${path}`,
        sent,
      );
    }
    if (symbol !== undefined) return this.#descriptors(this.#symbols.get(symbol), symbol, sent);
    // proto3 has no extensions but those of options, and no file here has any.
    if (extension) {
      const { extension_number: number = 0, containing_type: extended = '' } = extension;
      return failure('NOT_FOUND', `extension ${number} of ${extended}`);
    }
    if (type !== undefined) {
      if (!this.#messages.has(type)) return failure('NOT_FOUND', type);
      return { all_extension_numbers_response: { base_type_name: type } };
    }
    if (request.list_services === undefined) {
      return failure('INVALID_ARGUMENT', 'the request asks for nothing');
    }
    const services = this.#files.flatMap((file) => file.services ?? []);
    const service = services
      .map(({ name }) => ({ name }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    return { list_services_response: { service } };
  }

  /** A file and its imports, those first that others import. */
  #descriptors(file: ProtoFile | undefined, asked: string, sent: Set<ProtoFile>): Answer {
    if (!file) return failure('NOT_FOUND', asked);
    const found = new Set([file, ...importsOf(file)]);
    const unsent = [...found].filter((each) => each === file || !sent.has(each));
    for (const each of unsent) sent.add(each);
    return { file_descriptor_response: { file_descriptor_proto: unsent.map(fileDescriptor) } };
  }
}

function importsOf({ imports = [] }: ProtoFile): readonly ProtoFile[] {
  return imports.flatMap((each) => [each, ...importsOf(each)]);
}

/** Full names of all that is declared in a file. */
function symbolsOf({ enums = [], messages, services = [] }: ProtoFile): readonly string[] {
  const fields = messages.flatMap(({ name, fields: own }) =>
    Object.keys(own).map((each) => `${name}.${each}`),
  );
  const methods = services.flatMap(({ name, methods: own }) =>
    Object.keys(own).map((each) => `${name}.${each}`),
  );
  const named = [...enums, ...messages, ...services].map(({ name }) => name);
  return [...named, ...fields, ...methods];
}

function failure(status: StatusName, what: string): Answer {
  const text = status === 'NOT_FOUND' ? `not found: ${what}` : what;
  return { error_response: { error_code: codeOf(status), error_message: text } };
}
