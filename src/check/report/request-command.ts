import { randomBytes } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { CheckOptions } from '../options.ts';
import { quoted } from '../../pages/curl.ts';
import type { Result } from '../result.ts';
import { headOf, headOfFrames } from './head.ts';

/** Characters of a request up to which a command is made for it. */
const MAX_SENT = 2000;

const TOKEN = "[!#$%&'*+.^_`|~\\w-]+";
const REQUEST_LINE = new RegExp(`^(${TOKEN}) (\\S+) HTTP/1\\.1$`);
const FIELD_LINE = new RegExp(`^(:?${TOKEN}): ([!-~](?:[ -~]*[!-~])?|)$`);
/** A target that curl sends unchanged. */
const TARGET = /^\/[\w\-.~!$&'()*+,;=:@%/?]*$/;
/** Fields that curl sends in its own way, or not at all on HTTP/2. */
const FRAMING = new Set(['transfer-encoding', 'trailer', 'expect']);
const HTTP1_ONLY = new Set([
  'connection',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'upgrade',
]);

interface Request {
  readonly method: string;
  readonly target: string;
  readonly authority: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly content?: string;
}

type Connection = Pick<
  CheckOptions,
  'insecure' | 'resolve' | 'cacert' | 'cert' | 'key' | 'proxyProtocol'
>;

/**
 * A command that sends the request of a finding again, with curl, or with openssl if curl would change the request.
 *
 * @returns undefined if neither can: several requests, malformed frames, or a malformed request without TLS
 */
export function requestCommand(
  { front, evidence }: Result,
  url: URL,
  options: Connection,
): string | undefined {
  const [first, ...others] = evidence;
  const sent = withNewTags(first?.sent ?? '');
  if (others.length > 0 || sent.length > MAX_SENT || options.proxyProtocol !== 'off') return;
  const request = front === 'h2' ? requestOfFrames(sent, url) : parseRequest(sent);
  if (request) return curlCommand(request, url, front === 'h2', options);
  return front === 'http/1.1' && url.protocol === 'https:' && sent.includes('\r\n')
    ? opensslCommand(sent, url, options)
    : undefined;
}

/** The request with new tags of the same length: the origin has seen the old ones, and counts attempts by them. */
function withNewTags(sent: string): string {
  const digits = randomBytes(6).toString('hex');
  return sent.replaceAll(/\bcheck-[\da-f]{12}\b/g, `check-${digits}`);
}

/** Parses an HTTP/1.1 request; undefined if curl would not send it unchanged. */
function parseRequest(sent: string): Request | undefined {
  const [requestLine = '', ...lines] = headOf(sent) ?? [];
  const [, method, target = ''] = REQUEST_LINE.exec(requestLine) ?? [];
  const all = parseFields(lines);
  if (method === undefined || !TARGET.test(target) || !all) return;
  const [host, ...rest] = all;
  if (host?.[0].toLowerCase() !== 'host') return;
  const content = sent.slice(sent.indexOf('\r\n\r\n') + 4);
  const lengths = rest.filter(isLength).map(([, value]) => value);
  const length = lengths.length === 0 ? undefined : lengths.join();
  if (length !== undefined || content !== '') {
    // curl would read a file if the content began with `@`.
    if (length !== String(content.length) || !/^(?!@)[ -~]*$/.test(content)) return;
  }
  const fields = rest.filter((field) => !isLength(field));
  if (hasAny(fields, FRAMING)) return;
  return { method, target, authority: host[1], fields, ...(length !== undefined && { content }) };
}

/** Parses an HTTP/2 request without content; undefined if curl would not send it unchanged. */
function requestOfFrames(sent: string, url: URL): Request | undefined {
  const all = parseFields(headOfFrames(sent) ?? []);
  if (!all || /^(?!SETTINGS |HEADERS stream=1 flags=0x5 |WINDOW_UPDATE )\w/m.test(sent)) return;
  const pseudo = new Map(all.filter(([name]) => name.startsWith(':')));
  const fields = all.slice(pseudo.size);
  const [method, target, authority] = [':method', ':path', ':authority'].map((name) =>
    pseudo.get(name),
  );
  const isOrdinary = pseudo.size === 4 && pseudo.get(':scheme') === url.protocol.slice(0, -1);
  if (!isOrdinary || method === undefined || target === undefined || authority === undefined)
    return;
  if (!TARGET.test(target) || fields.some(([name]) => /[A-Z:]/.test(name))) return;
  if (hasAny(fields, FRAMING) || hasAny(fields, HTTP1_ONLY)) return;
  return { method, target, authority, fields };
}

function parseFields(lines: readonly string[]): [name: string, value: string][] | undefined {
  const fields = lines.map((line) => FIELD_LINE.exec(line));
  return fields.every((field) => field !== null)
    ? fields.map(([, name = '', value = '']) => [name, value])
    : undefined;
}

const isLength = ([name]: readonly [name: string, value: string]): boolean =>
  name.toLowerCase() === 'content-length';

const hasAny = (fields: Request['fields'], names: ReadonlySet<string>): boolean =>
  fields.some(([name]) => names.has(name.toLowerCase()));

function curlCommand(
  { method, target, authority, fields, content }: Request,
  url: URL,
  isHttp2: boolean,
  { insecure, resolve, cacert, cert, key }: Connection,
): string {
  const cleartext = isHttp2 ? '--http2-prior-knowledge' : '--http1.1';
  // `Name:` keeps curl from adding a field that was not sent.
  const added = ['User-Agent', 'Accept', ...(content === undefined ? [] : ['Content-Type'])]
    .filter((name) => !hasAny(fields, new Set([name.toLowerCase()])))
    .map((name) => `${name}:`);
  const lines = [
    ...(authority === url.host ? [] : [`Host: ${authority}`]),
    ...added,
    ...fields.map(([name, value]) => (value === '' ? `${name};` : `${name}: ${value}`)),
  ];
  const args = [
    '-isS',
    isHttp2 && url.protocol === 'https:' ? '--http2' : cleartext,
    '--path-as-is',
    ...(insecure ? ['-k'] : []),
    ...(resolve === undefined ? [] : ['--connect-to', `::${inUrl(resolve)}:`]),
    ...option('--cacert', cacert),
    ...option('--cert', cert),
    ...option('--key', key),
    ...(method === 'HEAD'
      ? ['-I']
      : method === 'GET' && content === undefined
        ? []
        : ['-X', method]),
    ...lines.flatMap((line) => ['-H', line]),
    ...option('--data-binary', content),
    `${url.origin}${target}`,
  ];
  return ['curl', ...args.map(quoted)].join(' ');
}

/** @param sent the request in Latin-1 */
function opensslCommand(
  sent: string,
  { hostname, port }: URL,
  { resolve, cert, key }: Connection,
): string {
  const name = /^[\d.]+$|^\[/.test(hostname) ? undefined : hostname;
  const args = [
    '-quiet',
    // Ends the connection with the input, which -quiet ignores. The response to a whole request would be lost.
    ...(isUnfinished(sent) ? ['-no_ign_eof'] : []),
    '-connect',
    `${resolve === undefined ? hostname : inUrl(resolve)}:${port === '' ? '443' : port}`,
    ...option('-servername', name),
    ...option('-cert', cert),
    ...option('-key', key),
  ];
  return `printf ${printfFormat(sent)} | openssl s_client ${args.map(quoted).join(' ')}`;
}

/** Whether content is chunked and has no last chunk: the check has cut the request off (RFC 9112 8). */
function isUnfinished(sent: string): boolean {
  return /^Transfer-Encoding: chunked\r$/m.test(sent) && !/\n\r?\n$/.test(sent);
}

/** A printf format that prints the bytes. */
function printfFormat(bytes: string): string {
  const text = bytes
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')
    .replaceAll('\r', String.raw`\r`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll(/[^ -~]|'/g, (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`);
  return `'${text}'`;
}

/** An address as host of a URL, where IPv6 has brackets (RFC 3986 3.2.2). */
const inUrl = (address: string): string => (isIPv6(address) ? `[${address}]` : address);

const option = (name: string, value: string | undefined): readonly string[] =>
  value === undefined ? [] : [name, value];
