import { METHODS } from 'node:http';
import { OMITTED, type RejectedMessage } from '../net/rejected-message.ts';
import { hidden, withoutSecrets, withoutSecretWords } from './tap/redaction.ts';

/** The path as it is shown: where it may have secrets, the pattern of its endpoint. */
export type ShownPath = (path: string) => string;

/** What is shown of a message that was refused; null where it is not known. */
export interface ShownRefused {
  readonly method: string | null;
  readonly path: string | null;
  readonly query: string | null;
  readonly bytes: string | null;
}

/** How the parts of a message are shown. */
interface Redaction {
  method(method: string): string;
  path(path: string): string;
  query(query: string): string;
  field(name: string, value: string): string;
  /** What is neither a request line nor a field line. */
  line(line: string): string;
  content(content: string): string;
}

const asTheyAre: Redaction = {
  method: same,
  path: same,
  query: same,
  field: (_name, value) => value,
  line: same,
  content: same,
};

/** As it is shown to readers of the tap, to whom secrets are shown or not. */
export function tapRefused(
  refused: RejectedMessage,
  secrets: boolean,
  path: ShownPath,
): ShownRefused {
  const redaction = { ...asTheyAre, path, query: hidden, field: withoutSecrets };
  const concealing = { ...redaction, line: withoutSecretWords, content: hidden };
  return shownRefused(refused, secrets ? asTheyAre : concealing);
}

/** As it stands in the log, which has no query, field value or content of any message. */
export function loggedRefused(refused: RejectedMessage, path: ShownPath): ShownRefused {
  return shownRefused(refused, {
    method: (method) => (METHODS.includes(method) ? method : hidden(method)),
    // Of the other forms of a target all may be secret.
    path: (target) => (target.startsWith('/') ? path(target.replace(/#.*/s, '')) : hidden(target)),
    query: hidden,
    field: (_name, value) => hidden(value),
    line: hidden,
    content: hidden,
  });
}

function shownRefused(
  { method, target, text }: RejectedMessage,
  redaction: Redaction,
): ShownRefused {
  const line = text === undefined ? undefined : requestLine(firstLine(text));
  const known = target === undefined ? line?.target : target;
  const [path, query] = known === undefined ? [] : parts(known);
  const verb = method ?? line?.method;
  return {
    method: verb === undefined ? null : redaction.method(verb),
    path: path === undefined ? null : redaction.path(path),
    query: query === undefined ? null : redaction.query(query),
    bytes: text === undefined ? null : redacted(text, redaction),
  };
}

/** Path and query; without `?` there is no query. */
function parts(target: string): [path: string, query: string] {
  const mark = target.indexOf('?');
  return mark === -1 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
}

/** The first line that is not empty, if it has come in full. */
function firstLine(text: string): string {
  return /^[\r\n]*([^\r\n]*)[\r\n]/.exec(text)?.[1] ?? '';
}

interface RequestLine {
  readonly method: string;
  readonly target: string;
  readonly version: string;
}

function requestLine(line: string): RequestLine | undefined {
  const [, method, target, version] = /^([^\s:?]+) (\S.*) (HTTP\/\S*)$/.exec(line) ?? [];
  if (method === undefined || target === undefined || version === undefined) return undefined;
  return line.includes(OMITTED) ? undefined : { method, target, version };
}

/** The text of a message, line by line up to its content. */
function redacted(text: string, redaction: Redaction): string {
  const [emptyLines = ''] = /^[\r\n]*/.exec(text) ?? [];
  const rest = text.slice(emptyLines.length);
  const end = /\r?\n\r?\n/.exec(rest);
  const head = end ? rest.slice(0, end.index) : rest;
  const content = end ? end[0] + redaction.content(rest.slice(end.index + end[0].length)) : '';
  let isHidden = false;
  const lines = head.split(/(\r\n|\r|\n)/).map((line, at) => {
    if (at % 2 === 1) return line;
    // obs-fold (RFC 9112 5.2): the rest of the value before.
    const shown = /^[ \t]/.test(line) && isHidden ? hidden(line) : redactedLine(line, redaction);
    isHidden = shown !== line;
    return shown;
  });
  return emptyLines + lines.join('') + content;
}

const FIELD_LINE = /^([\w !#$%&'*+.^`|~-]+)(:[ \t]*)(.*)$/;

function redactedLine(line: string, redaction: Redaction): string {
  const gap = line.indexOf(OMITTED);
  if (gap !== -1) {
    // What was missing may have named a secret.
    const after = redaction.content(line.slice(gap + 1));
    return redactedLine(line.slice(0, gap), redaction) + OMITTED + after;
  }
  const request = requestLine(line);
  if (request) {
    const [path, query] = parts(request.target);
    const mark = request.target.includes('?') ? '?' : '';
    const target = `${redaction.path(path)}${mark}${redaction.query(query)}`;
    return `${redaction.method(request.method)} ${target} ${request.version}`;
  }
  const [, name, colon = '', value = ''] = FIELD_LINE.exec(line) ?? [];
  if (name === undefined) return redaction.line(line);
  return `${name}${colon}${redaction.field(name, value)}`;
}

function same(text: string): string {
  return text;
}
