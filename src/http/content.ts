import { isUtf8 } from 'node:buffer';
import { jsonOrNull } from './json-content.ts';
import { essenceOf } from './media-type.ts';
import { multipartBoundary, parseMultipart, type FormPart } from './multipart.ts';
import { groupByName, parseQuery, type QueryPairs } from './query.ts';

type Grouped = Record<string, string | string[]>;

/** The content of a request, raw and parsed like in httpbin. */
export interface MessageContent {
  /** Content as text; in base64 if it is not valid UTF-8. */
  readonly body: string;
  readonly body_encoding: 'utf8' | 'base64';
  /** Content as text; a `data:` URL if it is not valid UTF-8, empty for a form. */
  readonly data: string;
  readonly form: Grouped;
  /** Contents of a form's files by field name. */
  readonly files: Grouped;
  /** The value if the content is JSON, whatever its Content-Type; otherwise null. */
  readonly json: unknown;
}

const EMPTY: MessageContent = {
  body: '',
  body_encoding: 'utf8',
  data: '',
  form: {},
  files: {},
  json: null,
};

/** @param type the request's Content-Type */
export function readMessageContent(content: Buffer, type = ''): MessageContent {
  if (content.length === 0) return EMPTY;
  const utf8 = isUtf8(content);
  const body = content.toString(utf8 ? 'utf8' : 'base64');
  const body_encoding = utf8 ? 'utf8' : 'base64';
  const form = readForm(content, body, type);
  if (form) return { body, body_encoding, data: '', ...form, json: null };
  const data = utf8 ? body : dataUrl(content, type);
  return { body, body_encoding, data, form: {}, files: {}, json: utf8 ? jsonOrNull(body) : null };
}

/** Parses a form; undefined if the content is none, malformed or too large. */
function readForm(
  content: Buffer,
  body: string,
  type: string,
): { form: Grouped; files: Grouped } | undefined {
  switch (essenceOf(type)) {
    case 'application/x-www-form-urlencoded':
      return isUtf8(content) && isWithinPairLimit(body) ? readPairs(parseQuery(body)) : undefined;
    case 'multipart/form-data':
      return readMultipart(content, type);
    default:
      return undefined;
  }
}

/** Maximum number of pairs in a form. More would block the event loop for a second or longer. */
const MAX_PAIRS = 50_000;

function isWithinPairLimit(form: string): boolean {
  let pairs = 1;
  for (let at = form.indexOf('&'); at !== -1; at = form.indexOf('&', at + 1)) pairs++;
  return pairs <= MAX_PAIRS;
}

/** Maximum different names of a form, as of JSON: V8 keeps each for itself. 50,000 would take 40 to 60 ms. */
const MAX_NAMES = 10_000;

function readPairs(pairs: QueryPairs): { form: Grouped; files: Grouped } | undefined {
  const names = new Set<string>();
  for (const [name] of pairs) if (names.add(name).size > MAX_NAMES) return undefined;
  return { form: groupByName(pairs), files: {} };
}

function readMultipart(
  content: Buffer,
  type: string,
): { form: Grouped; files: Grouped } | undefined {
  const boundary = multipartBoundary(type);
  const parts = boundary === undefined ? undefined : parseMultipart(content, boundary);
  return (
    parts && {
      form: groupByName(parts.filter(({ filename }) => filename === undefined).map(nameAndText)),
      files: groupByName(parts.filter(({ filename }) => filename !== undefined).map(nameAndText)),
    }
  );
}

function nameAndText({ name, content, type = '' }: FormPart): [name: string, text: string] {
  return [name, isUtf8(content) ? content.toString('utf8') : dataUrl(content, type)];
}

function dataUrl(content: Buffer, type: string): string {
  return `data:${essenceOf(type) || 'application/octet-stream'};base64,${content.toString('base64')}`;
}
