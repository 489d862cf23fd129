import { METHODS } from 'node:http';
import type { Redaction as WireRedaction } from '../inspect/views/view.ts';
import { isToken } from '../http/syntax.ts';
import { OMITTED, type FramePart, type RejectedMessage } from '../net/rejected-message.ts';
import { redact, redactField, redactLine, redactQuery, redactTarget } from './tap/redaction.ts';

/** Replaces a path that can contain secrets with the pattern of its endpoint. */
export type RedactPath = (path: string) => string;

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
  query(query: string): string;
  field(name: string, value: string): string;
  /** A line that is neither a request line nor a field line. */
  line(line: string): string;
  content(content: string): string;
}

const noRedaction: Redaction = {
  method: unchanged,
  path: unchanged,
  query: unchanged,
  field: (_name, value) => value,
  line: unchanged,
  content: unchanged,
};

/** @param secrets whether to show secrets; the tap shows them only with --tap-secrets */
export function redactForTap(
  message: RejectedMessage,
  secrets: boolean,
  redactPath: RedactPath,
): RejectedMessageView {
  if (secrets) return viewOf(message, noRedaction);
  return viewOf(message, {
    method: unchanged,
    path: (path) => redactTarget(path, redactPath),
    query: redactQuery,
    field: redactField,
    line: redactLine,
    content: redact,
  });
}

/** Redacts all queries, field values and content: the log must not contain any. */
export function redactForLog(message: RejectedMessage, path: RedactPath): RejectedMessageView {
  return viewOf(message, {
    method: (method) => (METHODS.includes(method) ? method : redact(method)),
    // Targets in other forms are redacted completely.
    path: (target) => (target.startsWith('/') ? path(target.replace(/#.*/s, '')) : redact(target)),
    query: redact,
    field: (_name, value) => redact(value),
    line: redact,
    content: redact,
  });
}

/** Redacts what --inspect shows, as in the tap. */
export function wireRedaction(redactPath: RedactPath): WireRedaction {
  const section = (text: string): string => redactForTap({ text }, false, redactPath).bytes ?? '';
  return {
    section,
    // With line ends in the value, what follows can be the line of another field.
    field: (name, value) =>
      /[\r\n]/.test(value)
        ? section(`${name}: ${value}`).slice(name.length + 2)
        : redactField(name, value),
    name: (name) => (isToken(name) ? name : redactLine(name)),
    line: redactLine,
    target: (target) => {
      const { path, query } = redactForTap({ target }, false, redactPath);
      return query === null || query === '' ? (path ?? '') : `${path}?${query}`;
    },
    content: redact,
  };
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
    query: query === undefined ? null : redaction.query(query),
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
  return redaction.path(path) + (query === '' ? value.slice(path.length) : redaction.query(query));
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
  let isRedacted = false;
  const lines = head.split(/(\r\n|\r|\n)/).map((line, at) => {
    // Every other element is a line break.
    if (at % 2 === 1) return line;
    // obs-fold (RFC 9112 5.2) continues the previous value.
    const isContinuation = /^[ \t]/.test(line) && isRedacted;
    const output = isContinuation ? redact(line) : redactAnyLine(line, redaction);
    isRedacted = output !== line;
    return output;
  });
  return emptyLines + lines.join('') + content;
}

const FIELD_LINE = /^([\w !#$%&'*+.^`|~-]+)(:[ \t]*)(.*)$/;

function redactAnyLine(line: string, redaction: Redaction): string {
  const gap = line.indexOf(OMITTED);
  if (gap !== -1) {
    // The omitted bytes may have contained the name of a secret field.
    const after = redaction.content(line.slice(gap + 1));
    return redactAnyLine(line.slice(0, gap), redaction) + OMITTED + after;
  }
  const request = parseRequestLine(line);
  if (request) {
    const [path, query] = splitTarget(request.target);
    const mark = request.target.includes('?') ? '?' : '';
    const target = `${redaction.path(path)}${mark}${redaction.query(query)}`;
    return `${redaction.method(request.method)} ${target} ${request.version}`;
  }
  const [, name, colon = '', value = ''] = FIELD_LINE.exec(line) ?? [];
  if (name === undefined) return redaction.line(line);
  return `${name}${colon}${redaction.field(name, value)}`;
}

function unchanged(text: string): string {
  return text;
}
