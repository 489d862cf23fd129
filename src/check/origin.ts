import { randomBytes, randomInt } from 'node:crypto';
import {
  clientCertificateSchema,
  connSchema,
  echoSchema,
  proxyProtocolSchema,
  tlsSchema,
} from '../echo/echo-schema.ts';
import { statusSchema } from '../endpoints/status.ts';
import { uploadSchema } from '../endpoints/upload.ts';
import { versionSchema } from '../endpoints/version.ts';
import { jsonOrNull } from '../http/json-content.ts';
import { UNIQUE_PARAMETER } from '../server/parse-parameters.ts';
import { arrayOf, guard, partOf, type Infer, type JsonSchema } from '../server/schema.ts';
import {
  valueOf,
  valuesOf,
  type FieldLine,
  type RequestMessage,
  type ResponseMessage,
  type Transfer,
} from './message.ts';
import { withoutPrefix } from './path-prefix.ts';

/** A request as wirebin received it. */
export interface Received extends Pick<Echo, 'method' | 'path' | 'query' | 'process'> {
  readonly version: string;
  /** Whether the path was below the prefix of the target, which `path` is without. */
  readonly isBelowPrefix: boolean;
  readonly fields: readonly FieldLine[];
  readonly trailers: readonly FieldLine[];
  readonly content: Buffer;
  /** Process and connection id: the id alone is only a counter of the process. */
  readonly connection: string;
  readonly requestNumber: number;
  readonly protocol: string;
  readonly remote: string;
  readonly tls: Echo['tls'];
  /** What the PROXY header of the connection said. */
  readonly proxyProtocol: Echo['conn']['proxy_protocol'];
}

/** The field that marks each request of checks. The origin journals such requests. */
export const TAG = 'X-Wirebin-Journal';

/** A tag that no other request has. */
export function newTag(): string {
  return `check-${randomBytes(6).toString('hex')}`;
}

/** A request with a tag. */
export function tagged(tag: string, message: RequestMessage): RequestMessage {
  return { ...message, fields: [...(message.fields ?? []), [TAG, tag] satisfies FieldLine] };
}

/** A target with a tag in its query, so that no cache has a response for it. Endpoints of wirebin ignore it. */
export const withTag = (target: string, tag: string): string =>
  `${target}${target.includes('?') ? '&' : '?'}${UNIQUE_PARAMETER}=${tag}`;

const TAGS = new RegExp(`^ *${TAG}: (check-[\\da-f]{12})`, 'gim');

/** The tags of the requests in the sent text. */
export function tagsOf({ sent }: Transfer): string[] {
  return Array.from(sent.matchAll(TAGS), ([, tag = '']) => tag);
}

/** The members of an echo that checks read. Another version of wirebin may lack others, or have more. */
const readSchema = partOf(
  echoSchema,
  [
    'method',
    'http_version',
    'path',
    'query',
    'raw_headers',
    'raw_trailers',
    'body',
    'body_encoding',
    'process',
    'conn',
    'tls',
  ],
  {
    conn: partOf(connSchema, ['id', 'request', 'protocol', 'remote', 'proxy_protocol'], {
      proxy_protocol: partOf(proxyProtocolSchema, [
        'version',
        'command',
        'family',
        'transport',
        'source',
      ]),
    }),
    tls: partOf(
      tlsSchema,
      ['version', 'cipher_suite', 'alpn', 'sni', 'session_reused', 'client_certs'],
      { client_certs: arrayOf(partOf(clientCertificateSchema, ['subject'])) },
    ),
  },
);

type Echo = Infer<typeof readSchema>;

export const isEcho = guard(readSchema);

/** What the origin echoed; undefined if the response is no echo, or not the one of this tag. */
export function receivedOf({ response, prefix = '' }: Transfer, tag: string): Received | undefined {
  const echo = contentObject(response);
  if (!isEcho(echo) || !valuesOf(echo.raw_headers, TAG).includes(tag)) return undefined;
  const { method, path, query, process, tls, conn } = echo;
  return {
    method,
    version: echo.http_version,
    path: withoutPrefix(prefix, path),
    isBelowPrefix: withoutPrefix(prefix, path) !== path,
    query,
    fields: echo.raw_headers,
    trailers: echo.raw_trailers ?? [],
    content: Buffer.from(echo.body, echo.body_encoding),
    process,
    tls,
    connection: connectionOf(process, conn.id),
    requestNumber: conn.request,
    protocol: conn.protocol,
    remote: conn.remote,
    proxyProtocol: conn.proxy_protocol,
  };
}

/**
 * Whether the response is the echo of another request of checks, at a path that no other has: one that a cache has stored
 * for another path is none.
 */
export function isOtherEcho({ response }: Transfer, own: string): boolean {
  const echo = contentObject(response);
  if (!isEcho(echo)) return false;
  const tags = valuesOf(echo.raw_headers, TAG);
  return !tags.includes(own) && tags.some((tag) => echo.path.includes(tag));
}

/** The response field in which wirebin names its process and the tag of the request, or of a rejected message. */
const PROCESS = 'X-Wirebin-Process';

/** The process that made the response, and the tag of its request. */
function processMark(response: ResponseMessage | undefined): readonly string[] {
  return valueOf(response?.fields ?? [], PROCESS)?.split(' ', 2) ?? [];
}

/** The process that made the response; undefined if the response does not name it. */
export const processOf = ({ response }: Transfer): string | undefined => processMark(response)[0];

/** Whether a wirebin made the response. Those that it sends on request, such as faults, have no mark. */
export function isFromOrigin({ response }: Transfer): boolean {
  return processMark(response)[0] !== undefined;
}

/** Whether the response is that of the origin to this request: its mark has the tag. */
export function isAnswered(transfer: Transfer): boolean {
  const [, tag = ''] = processMark(transfer.response);
  return tagsOf(transfer).includes(tag);
}

/** A connection id that is unique among several origins, each of which counts its own connections. */
export function connectionOf(process: string, id: string): string {
  return `${process}/${id}`;
}

/** A target at which the origin sends exactly these bytes as its response. Needs --allow-raw. */
export function rawTarget(bytes: string | Buffer): string {
  return `/raw?base64=${Buffer.from(bytes).toString('base64url')}`;
}

/** At least as many seconds are responses fresh that a cache is to store. */
export const LIFETIME = 60;
const DAY = 86_400;

/** A number for a path that most likely no cache has seen, not even one that ignores the query. */
export const unseenNumber = (): number => randomInt(LIFETIME, DAY);

/** A path whose response any cache may reuse: its number is for how many seconds. */
export const cachedPath = (): string => `/cache/${unseenNumber()}`;

/** The hosts that the request names: `:authority` and Host. */
export function hostsOf({ fields }: Received): readonly string[] {
  return [...valuesOf(fields, ':authority'), ...valuesOf(fields, 'host')];
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Parses text as a JSON object; undefined if it is something else. */
export function parseObject(text: string): JsonObject | undefined {
  return objectOf(jsonOrNull(text));
}

/** Makes a reader for responses of an endpoint, by its schema. The reader returns undefined for anything else. */
export function reader<T>(
  schema: JsonSchema<T>,
): (response: ResponseMessage | undefined) => T | undefined {
  const isDeclared = guard(schema);
  return (response) => {
    const content = contentObject(response);
    return isDeclared(content) ? content : undefined;
  };
}

/** Reads what `/version` says of the service. */
export const versionOf = reader(partOf(versionSchema, ['name', 'version', 'instance']));

/** Reads what `/version` says of the process. */
export const processAt = reader(partOf(versionSchema, ['name', 'process']));

/** Reads responses of `/upload`. */
export const uploadOf = reader(uploadSchema);

/** Reads responses of `/status/{code}`. */
export const statusOf = reader(statusSchema);

/** The JSON object that a response has as content; undefined if it has none. */
export function contentObject(response: ResponseMessage | undefined): JsonObject | undefined {
  return response && parseObject(response.content.toString());
}

/** The type of wirebin's problem document; undefined for the errors of a gateway. */
export function problemType(response: ResponseMessage | undefined): string | undefined {
  const type = contentObject(response)?.['type'];
  return typeof type === 'string' && type.startsWith('/problems/') ? type : undefined;
}

export function objectOf(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : undefined;
}
