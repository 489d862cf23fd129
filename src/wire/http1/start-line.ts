import { lineAt, parseSection, type LineEnd, type RawField } from './section.ts';

/** A request line as sent (RFC 9112 3). Missing parts are undefined. */
export interface RawRequestLine {
  /** Offset from the beginning of the message. */
  readonly offset: number;
  readonly method: string;
  /** The text between the first and the last space. It may contain further spaces. */
  readonly target: string | undefined;
  readonly version: string | undefined;
  readonly end: LineEnd;
}

/** A status line as sent (RFC 9112 4). */
export interface RawStatusLine {
  readonly version: string;
  readonly status: string | undefined;
  readonly reason: string | undefined;
  readonly end: LineEnd;
}

/** A start line and the header section after it. */
export interface RawHead<StartLine> {
  readonly line: StartLine;
  readonly fields: readonly RawField[];
  /** Line end of the empty line after the fields. */
  readonly end: LineEnd;
}

/** Offset of the start line. Servers ignore empty lines before it (RFC 9112 2.2). */
export function startLineOffset(text: string): number {
  let at = 0;
  while (text.charCodeAt(at) === 0x0d || text.charCodeAt(at) === 0x0a) at++;
  return at;
}

/** Parses the head of a request, even a malformed one. @param text in Latin-1; may be incomplete */
export function parseRequestHead(text: string): RawHead<RawRequestLine> {
  return parseHead(text, requestLine);
}

/** Parses the head of a response, even a malformed one. @param text in Latin-1; may be incomplete */
export function parseResponseHead(text: string): RawHead<RawStatusLine> {
  return parseHead(text, (line, _offset, end) => statusLine(line, end));
}

function parseHead<StartLine>(
  text: string,
  read: (line: string, offset: number, end: LineEnd) => StartLine,
): RawHead<StartLine> {
  const offset = startLineOffset(text);
  const { stop, next, end } = lineAt(text, offset);
  return { line: read(text.slice(offset, stop), offset, end), ...parseSection(text, next, 0) };
}

function requestLine(line: string, offset: number, end: LineEnd): RawRequestLine {
  const first = line.indexOf(' ');
  const last = line.lastIndexOf(' ');
  return {
    offset,
    method: first === -1 ? line : line.slice(0, first),
    target: first === -1 ? undefined : line.slice(first + 1, last > first ? last : undefined),
    version: last > first ? line.slice(last + 1) : undefined,
    end,
  };
}

function statusLine(line: string, end: LineEnd): RawStatusLine {
  const first = line.indexOf(' ');
  const second = first === -1 ? -1 : line.indexOf(' ', first + 1);
  return {
    version: first === -1 ? line : line.slice(0, first),
    status: first === -1 ? undefined : line.slice(first + 1, second === -1 ? undefined : second),
    reason: second === -1 ? undefined : line.slice(second + 1),
    end,
  };
}
