import type { Redaction as WireRedaction } from '../inspect/views/view.ts';
import { isKnownMethod } from '../http/methods.ts';
import { isToken } from '../http/syntax.ts';
import { type FramePart, type RejectedMessage } from '../net/rejected-message.ts';
import {
  REDACTED,
  redact,
  redactField,
  redactLine,
  redactPath,
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
  target(target: string): string;
  field(name: string, value: string): string;
  /** Redacts a line that is neither a request line nor a field line, or an invalid HTTP version. */
  line(line: string): string;
  content(content: string): string;
}

const tapRedaction: Redaction = {
  method: unchanged,
  target: redactTarget,
  // Text after a line end in the value may be read as another field.
  field: (name, value) => (/[\r\n]/.test(value) ? redact(value) : redactField(name, value)),
  line: redactLine,
  content: redact,
};

/** Redacts all queries, field values and content: the log must not contain any. */
const logRedaction: Redaction = {
  method: (method) => (isKnownMethod(method) ? method : redact(method)),
  target: (target) => {
    const [path, query] = splitTarget(target);
    // Targets in other forms are redacted completely.
    const shown = path.startsWith('/') ? redactPath(path.replace(/#.*/s, '')) : redact(path);
    return query === '' ? shown : `${shown}?${redact(query)}`;
  },
  field: (_name, value) => redact(value),
  line: redact,
  content: redact,
};

const noRedaction: Redaction = {
  method: unchanged,
  target: unchanged,
  field: (_name, value) => value,
  line: unchanged,
  content: unchanged,
};

/** Redacts a rejected message for the tap. @param secrets whether to show secrets (--tap-secrets) */
export function redactForTap(message: RejectedMessage, secrets: boolean): RejectedMessageView {
  return messageView(message, secrets ? noRedaction : tapRedaction);
}

export function redactForLog(message: RejectedMessage): RejectedMessageView {
  return messageView(message, logRedaction);
}

/** Redaction for --inspect: the same as in the tap. */
export const wireRedaction: WireRedaction = {
  section: redactSection,
  // Text after a line end in the value may be read as another field.
  field: (name, value) =>
    /[\r\n]/.test(value)
      ? redactSection(`${name}: ${value}`).slice(name.length + 2)
      : redactField(name, value),
  name: (name) => (isToken(name) ? name : redactLine(name)),
  line: redactLine,
  target: redactTarget,
  content: redact,
};

function redactSection(text: string): string {
  return redactForTap({ text }, false).bytes ?? '';
}

function messageView(message: RejectedMessage, redaction: Redaction): RejectedMessageView {
  const { text, frames } = message;
  const line = text === undefined ? undefined : parseRequestLine(firstLine(text));
  const { method = line?.method, target = line?.target } = message;
  const [path, query] = target === undefined ? [] : splitTarget(redaction.target(target));
  const parts = frames?.map((part) => redactPart(part, redaction));
  return {
    method: method === undefined ? null : redaction.method(method),
    path: path ?? null,
    query: query ?? null,
    bytes: text === undefined ? (parts?.join('') ?? null) : redactText(text, redaction),
  };
}

/** Redacts a part of a frame. An encoded field is either shown or hidden as a whole. */
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
  return name === ':path' ? redaction.target(value) : redaction.field(name, value);
}

/** Splits a target. `query` includes the `?`, or is empty. */
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
  return { method, target, version };
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
  return [emptyLines, redactFirstLine(first, redaction), ...lines, content].join('');
}

/** Redacts the request line, which cannot be folded. A later line that looks like one is a malformed field line. */
function redactFirstLine(text: string, redaction: Redaction): string {
  const [line = '', end = '', ...folded] = text.split(/(\r?\n)/);
  const request = parseRequestLine(line);
  if (!request) return redactFolded(text, redaction);
  const { method, target, version } = request;
  const shownVersion = /^HTTP\/[\d.]{1,3}$/.test(version) ? version : redaction.line(version);
  return (
    `${redaction.method(method)} ${redaction.target(target)} ${shownVersion}${end}` +
    redactFolded(folded.join(''), redaction)
  );
}

/** Redacts a field line, which may be folded. If its value is secret, all lines of the value are hidden. */
function redactFolded(text: string, redaction: Redaction): string {
  const [line = '', end = '', ...folded] = text.split(/(\r?\n)/);
  if (folded.join('') === '') return redactLineOf(line, redaction) + end;
  const unfolded = text.replaceAll(/(?<![ \t])[ \t]*\r?\n[ \t]*/g, ' ').trimEnd();
  // The line as a recipient may read it: unfolded, or each line by itself without obs-fold (RFC 9112 5.2).
  const readings = [unfolded, line, ...folded.map((part) => part.trim())];
  if (readings.every((each) => redactLineOf(each, redaction) === each)) return text;
  const [, name = '', colon = ''] = FIELD_LINE.exec(line) ?? [];
  const begin = name + colon;
  return begin + text.slice(begin.length).replaceAll(/(?:[^\r\n]|\r(?!\n))+/g, REDACTED);
}

const FIELD_LINE = /^((?:[ \t]*\t)?[\w !#$%&'*+.^`|~-]+)(:[ \t]*)(.*)/s;

function redactLineOf(line: string, redaction: Redaction): string {
  const [, name, colon = '', value = ''] = FIELD_LINE.exec(line) ?? [];
  return name === undefined ? redaction.line(line) : name + colon + redaction.field(name, value);
}

function unchanged(text: string): string {
  return text;
}
