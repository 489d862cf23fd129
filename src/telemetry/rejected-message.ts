import { METHODS } from 'node:http';
import type { Redaction as WireRedaction } from '../inspect/views/view.ts';
import { isToken } from '../http/syntax.ts';
import { OMITTED, type FramePart, type RejectedMessage } from '../net/rejected-message.ts';
import {
  redact,
  redactField,
  redactLine,
  redactPath,
  redactQuery,
  redactTarget,
} from './tap/redaction.ts';

/** A rejected message as shown in the tap and the log; null for unknown parts. */
export interface RejectedMessageView {
  readonly method: string | null;
  readonly path: string | null;
  readonly query: string | null;
  readonly bytes: string | null;
}

/** Redacts each part of a message. */
interface Redaction {
  method(method: string): string;
  path(path: string): string;
  query(query: string, path: string): string;
  field(name: string, value: string): string;
  /** A line that is neither a request line nor a field line. */
  line(line: string): string;
  content(content: string): string;
}

const tapRedaction: Redaction = {
  method: unchanged,
  path: (path) => redactTarget(path),
  query: redactQuery,
  field: redactField,
  line: redactLine,
  content: redact,
};

/** Redacts all queries, field values and content: the log must not contain any. */
const logRedaction: Redaction = {
  method: (method) => (METHODS.includes(method) ? method : redact(method)),
  // Targets in other forms are redacted completely.
  path: (path) => (path.startsWith('/') ? redactPath(path.replace(/#.*/s, '')) : redact(path)),
  query: redact,
  field: (_name, value) => redact(value),
  line: redact,
  content: redact,
};

const noRedaction: Redaction = {
  method: unchanged,
  path: unchanged,
  query: unchanged,
  field: (_name, value) => value,
  line: unchanged,
  content: unchanged,
};

/** @param secrets whether to show secrets; the tap shows them only with --tap-secrets */
export function redactForTap(message: RejectedMessage, secrets: boolean): RejectedMessageView {
  return viewOf(message, secrets ? noRedaction : tapRedaction);
}

export function redactForLog(message: RejectedMessage): RejectedMessageView {
  return viewOf(message, logRedaction);
}

/** Redacts what --inspect shows, as in the tap. */
export const wireRedaction: WireRedaction = {
  section: redactSection,
  // With line ends in the value, what follows can be the line of another field.
  field: (name, value) =>
    /[\r\n]/.test(value)
      ? redactSection(`${name}: ${value}`).slice(name.length + 2)
      : redactField(name, value),
  name: (name) => (isToken(name) ? name : redactLine(name)),
  line: redactLine,
  target: (target) => {
    const { path, query } = redactForTap({ target }, false);
    return query === null || query === '' ? (path ?? '') : `${path}?${query}`;
  },
  content: redact,
};

function redactSection(text: string): string {
  return redactForTap({ text }, false).bytes ?? '';
}

function viewOf(message: RejectedMessage, redaction: Redaction): RejectedMessageView {
  const { text } = message;
  const line = text === undefined ? undefined : parseRequestLine(firstLine(text));
  const target = message.target ?? line?.target;
  const [path, query] = target === undefined ? [] : splitTarget(target);
  const method = message.method ?? line?.method;
  return {
    method: method === undefined ? null : redaction.method(method),
    path: path === undefined ? null : redaction.path(path),
    query: query === undefined ? null : redaction.query(query, path ?? ''),
    bytes: text === undefined ? framesText(message, redaction) : redactText(text, redaction),
  };
}

function framesText({ frames }: RejectedMessage, redaction: Redaction): string | null {
  return frames?.map((part) => redactPart(part, redaction)).join('') ?? null;
}

/** An encoded field is hidden as a whole if any of it must be. */
function redactPart(
  { kind, text, name = '', value = '' }: FramePart,
  redaction: Redaction,
): string {
  switch (kind) {
    case 'header':
      return text;
    case 'field':
      return redactFrameField(name, value, redaction) === value ? text : redact(text);
    case 'content':
      return redaction.content(text);
  }
}

function redactFrameField(name: string, value: string, redaction: Redaction): string {
  if (name === ':method') return redaction.method(value);
  if (name !== ':path') {
    // As in a section: with a line end in it, the rest can be the line of another field.
    return /[\r\n]/.test(value) ? redact(value) : redaction.field(name, value);
  }
  const [path, query] = splitTarget(value);
  return (
    redaction.path(path) + (query === '' ? value.slice(path.length) : redaction.query(query, path))
  );
}

/** The query is empty if there is no `?`. */
function splitTarget(target: string): [path: string, query: string] {
  const mark = target.indexOf('?');
  return mark === -1 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
}

/** The first non-empty line, or an empty string if it is incomplete. */
function firstLine(text: string): string {
  return /^[\r\n]*([^\r\n]*)[\r\n]/.exec(text)?.[1] ?? '';
}

interface RequestLine {
  readonly method: string;
  readonly target: string;
  readonly version: string;
}

function parseRequestLine(line: string): RequestLine | undefined {
  const [, method, target, version] = /^([^\s:?]+) (\S.*) (HTTP\/\S*)$/.exec(line) ?? [];
  if (method === undefined || target === undefined || version === undefined) return undefined;
  return line.includes(OMITTED) ? undefined : { method, target, version };
}

/** Redacts the header section line by line, then the content. */
function redactText(text: string, redaction: Redaction): string {
  const [emptyLines = ''] = /^[\r\n]*/.exec(text) ?? [];
  const rest = text.slice(emptyLines.length);
  const end = /\r?\n\r?\n/.exec(rest);
  const head = end ? rest.slice(0, end.index) : rest;
  const content = end ? end[0] + redaction.content(rest.slice(end.index + end[0].length)) : '';
  // A lone CR ends no line. With obs-fold (RFC 9112 5.2), a line has several.
  const [first = '', ...others] = head.split(/(?<=\n)(?![ \t])/);
  const lines = others.map((line) => redactFolded(line, redaction));
  return [emptyLines, redactFirst(first, redaction), ...lines, content].join('');
}

/** The request line. Others of its form are fields with white space before the colon. */
function redactFirst(text: string, redaction: Redaction): string {
  const [line = '', end = ''] = text.split(/(\r?\n)/);
  const request = parseRequestLine(line);
  if (!request || line.length + end.length < text.length) return redactFolded(text, redaction);
  const [path, query] = splitTarget(request.target);
  const mark = request.target.includes('?') ? '?' : '';
  const target = `${redaction.path(path)}${mark}${redaction.query(query, path)}`;
  return `${redaction.method(request.method)} ${target} ${request.version}${end}`;
}

/** A field line with its line ends. If its value is secret as a whole, no part of it is shown. */
function redactFolded(text: string, redaction: Redaction): string {
  const [line = '', ...rest] = text.split(/(\r?\n)/);
  const unfolded = text.replaceAll(/[ \t]*\r?\n[ \t]*/g, ' ').trimEnd();
  const isFolded = rest.length > 2 || (rest[1] ?? '') !== '';
  // A recipient without obs-fold (RFC 9112 5.2) parses each line by itself.
  const readings = [unfolded, ...rest.map((part) => part.trim())];
  if (!isFolded || readings.every((each) => redactLineOf(each, redaction) === each)) {
    return redactLineOf(line, redaction) + rest.join('');
  }
  const [, name, colon = '', value = ''] = FIELD_LINE.exec(line) ?? [];
  const begin = name === undefined ? redactLineOf(line, redaction) : name + colon + redact(value);
  return begin + rest.map((part, at) => (at % 2 === 0 ? part : redact(part))).join('');
}

const FIELD_LINE = /^([\w !#$%&'*+.^`|~-]+)(:[ \t]*)(.*)$/s;

function redactLineOf(line: string, redaction: Redaction): string {
  const gap = line.indexOf(OMITTED);
  if (gap !== -1) {
    // The omitted bytes may have contained the name of a secret field.
    const after = redaction.content(line.slice(gap + 1));
    return redactLineOf(line.slice(0, gap), redaction) + OMITTED + after;
  }
  const [, name, colon = '', value = ''] = FIELD_LINE.exec(line) ?? [];
  if (name === undefined) return redaction.line(line);
  // Who reads a lone CR as a line end has the line of another field after it.
  return (
    name + colon + (value.includes('\r') ? redaction.content(value) : redaction.field(name, value))
  );
}

function unchanged(text: string): string {
  return text;
}
