/**
 * Reads HTTP/1.x messages from all bytes of one direction at once, with none of the code that is tested.
 * Gives what `wire` and `/connections/{id}` must say of them.
 */

/** What is kept of a connection whatever the settings are. */
const CHUNKS = 64;
const REST = 4096;

export interface Message {
  /** As in the story of the connection, without times. */
  readonly view: Readonly<Record<string, unknown>>;
  readonly offset: number;
  readonly end: number;
  readonly content: Buffer;
  readonly method: string;
  readonly status: number;
}

export interface Direction {
  readonly messages: readonly Message[];
  readonly after_last?: { readonly bytes: string; readonly length: number };
  readonly rest?: { readonly offset: number; readonly kind: string; readonly bytes: string };
}

interface Field {
  readonly offset: number;
  readonly name: string;
  readonly value: string;
  readonly end: string;
}

interface Line {
  readonly offset: number;
  readonly text: string;
  readonly end: string;
}

export function readRequests(bytes: Buffer): Direction {
  return readMessages(bytes, (fields) => requestFraming(fields), requestView);
}

/** @param methods of the requests, in order @param isEnded whether the direction ended */
export function readResponses(
  bytes: Buffer,
  methods: readonly string[],
  isEnded: boolean,
): Direction {
  let responded = 0;
  return readMessages(
    bytes,
    (fields, line) => {
      const status = Number(line.split(' ')[1]);
      const method = methods[responded];
      if (status >= 200) responded++;
      if (status < 200 || status === 204 || status === 304 || method === 'HEAD') return 'none';
      const framing = requestFraming(fields);
      return framing === 'none' ? (isEnded ? 'closed' : 'open') : framing;
    },
    (line, lineEnd) => {
      const [version, status, ...reason] = line.split(' ');
      const request = methods[responded - (Number(status) >= 200 ? 1 : 0)];
      return {
        ...(request !== undefined && { request: responded + (Number(status) >= 200 ? 0 : 1) }),
        line: { version, status, reason: reason.join(' '), end: lineEnd },
      };
    },
  );
}

function requestView(line: string, end: string, offset: number): Record<string, unknown> {
  const words = line.split(' ');
  return {
    line: {
      offset,
      method: words[0],
      ...(words.length > 1 && { target: words.slice(1, Math.max(2, words.length - 1)).join(' ') }),
      ...(words.length > 2 && { version: words.at(-1) }),
      end,
    },
  };
}

/** `open` and `closed` are until the connection ends. */
type Framing = number | 'chunked' | 'none' | 'unknown' | 'open' | 'closed';

function requestFraming(fields: readonly Field[]): Framing {
  const values = (name: string): string[] =>
    fields
      .filter((field) => field.name.toLowerCase() === name)
      .map(({ value }) => value.replaceAll(/[\r\n]+/g, ' ').trim());
  const codings = values('transfer-encoding').filter((value) => value !== '');
  if (codings.length > 0) {
    const last = codings
      .join(',')
      .split(/[ \t,]/)
      .at(-1);
    return last?.toLowerCase() === 'chunked' ? 'chunked' : 'unknown';
  }
  const [length, ...others] = values('content-length');
  if (length === undefined) return 'none';
  if (!/^\d+$/.test(length) || Number(length) > Number.MAX_SAFE_INTEGER) return 'unknown';
  return others.every((other) => other === length) ? Number(length) : 'unknown';
}

function readMessages(
  bytes: Buffer,
  framingOf: (fields: readonly Field[], line: string) => Framing,
  startView: (line: string, end: string, offset: number) => Record<string, unknown>,
): Direction {
  const text = bytes.toString('latin1');
  const messages: Message[] = [];
  let at = 0;
  for (;;) {
    const start = at + (/^[\r\n]*/.exec(text.slice(at))?.[0].length ?? 0);
    if (start === text.length) {
      const left = text.slice(at);
      return left === ''
        ? { messages }
        : { messages, after_last: { bytes: left, length: left.length } };
    }
    const blank = /\n\r?\n/g;
    blank.lastIndex = start;
    const isComplete = blank.exec(text) !== null;
    const headEnd = isComplete ? blank.lastIndex : text.length;
    const [startLine, ...lines] = linesOf(text, start, headEnd, at);
    const { fields, end: sectionEnd } = fieldsOf(lines);
    const framing = isComplete ? framingOf(fields, startLine?.text ?? '') : undefined;
    const content = isComplete ? contentOf(text, headEnd, at, framing ?? 'none') : undefined;
    const end = content?.end ?? text.length;
    const isWhole = content !== undefined && content.isWhole;
    messages.push({
      view: {
        offset: at,
        ...(isWhole && { length: end - at }),
        head: text.slice(at, headEnd),
        head_length: headEnd - at,
        ...(!isComplete && { head_complete: false }),
        ...startView(startLine?.text ?? '', startLine?.end ?? '', startLine?.offset ?? 0),
        fields,
        head_end: sectionEnd,
        ...content?.view,
      },
      offset: at,
      end,
      content: Buffer.from(content?.bytes ?? '', 'latin1'),
      method: startLine?.text.split(' ')[0] ?? '',
      status: Number(startLine?.text.split(' ')[1]),
    });
    if (content?.rest !== undefined) {
      const bytesLeft = text.slice(content.rest, content.rest + REST);
      return { messages, rest: { offset: content.rest, kind: 'confused', bytes: bytesLeft } };
    }
    if (content?.line !== undefined) {
      return { messages, after_last: { bytes: content.line, length: content.line.length } };
    }
    if (!isWhole) return { messages };
    at = end;
  }
}

/** @param base of the offsets */
function linesOf(text: string, start: number, end: number, base: number): Line[] {
  const lines: Line[] = [];
  for (const match of text.slice(start, end).matchAll(/([^\n]*?)(\r?\n|$)/g)) {
    if (match[0] === '') break;
    const lineEnd = match[2] === '\r\n' ? 'crlf' : match[2] === '\n' ? 'lf' : 'none';
    lines.push({ offset: start - base + match.index, text: match[1] ?? '', end: lineEnd });
  }
  return lines;
}

function fieldsOf(lines: readonly Line[]): { readonly fields: Field[]; readonly end: string } {
  const whole: Line[] = [];
  for (const line of lines) {
    if (line.text === '' && line.end !== 'none')
      return { fields: whole.map(fieldOf), end: line.end };
    const last = whole.at(-1);
    if (last && /^[ \t]/.test(line.text)) {
      const text = `${last.text}${last.end === 'crlf' ? '\r\n' : '\n'}${line.text}`;
      whole[whole.length - 1] = { offset: last.offset, text, end: line.end };
    } else whole.push(line);
  }
  return { fields: whole.map(fieldOf), end: 'none' };
}

function fieldOf({ offset, text, end }: Line): Field {
  const colon = text.indexOf(':');
  const name = (colon === -1 ? text : text.slice(0, colon)).replace(/[ \t]+$/, '');
  const value = colon === -1 ? '' : text.slice(colon + 1).replaceAll(/^[ \t]+|[ \t]+$/g, '');
  return { offset, name, value, end };
}

interface Content {
  readonly view: Record<string, unknown>;
  readonly bytes: string;
  readonly end: number;
  readonly isWhole: boolean;
  /** Where no message can be found any more. */
  readonly rest?: number;
  /** An incomplete chunk line. */
  readonly line?: string;
}

function contentOf(text: string, at: number, base: number, framing: Framing): Content {
  if (framing === 'none') return { view: {}, bytes: '', end: at, isWhole: true };
  if (framing === 'chunked') return chunkedOf(text, at, base);
  if (framing === 'unknown') {
    const view = { content: { framing: 'unknown', received: 0 } };
    return { view, bytes: '', end: at, isWhole: false, rest: at };
  }
  if (framing === 'open' || framing === 'closed') {
    const bytes = text.slice(at);
    const view = { content: { framing: 'until-close', received: bytes.length } };
    return { view, bytes, end: text.length, isWhole: framing === 'closed' };
  }
  const bytes = text.slice(at, at + framing);
  return {
    view: { content: { framing: 'length', declared: framing, received: bytes.length } },
    bytes,
    end: at + bytes.length,
    isWhole: bytes.length === framing,
  };
}

function chunkedOf(text: string, start: number, base: number): Content {
  const chunks: Record<string, unknown>[] = [];
  let bytes = '';
  let at = start;
  const content = (more: Partial<Content> & { readonly end: number }, trailers = {}): Content => ({
    view: {
      content: {
        framing: 'chunked',
        received: bytes.length,
        chunks: chunks.slice(0, CHUNKS),
        chunk_count: chunks.length,
        chunks_left_out: Math.max(0, chunks.length - CHUNKS),
      },
      ...trailers,
    },
    bytes,
    isWhole: false,
    ...more,
  });
  for (;;) {
    const lf = text.indexOf('\n', at);
    if (lf === -1) {
      const line = text.slice(at);
      return content({ end: text.length, ...(line !== '' && { line }) });
    }
    const whole = text.slice(at, lf + 1);
    const line = whole.replace(/\r?\n$/, '');
    const size = /^([0-9A-Fa-f]+)[ \t]*(?:;.*)?$/s.exec(line)?.[1];
    const length = Number.parseInt(size ?? '', 16);
    if (size === undefined || length > Number.MAX_SAFE_INTEGER)
      return content({ end: at, rest: at });
    const extension = line.slice(size.length);
    const chunk: Record<string, unknown> = {
      offset: at - base,
      line,
      line_end: whole.endsWith('\r\n') ? 'crlf' : 'lf',
      size: length,
      ...(extension !== '' && { extension }),
      data_end: 'none',
    };
    chunks.push(chunk);
    const data = lf + 1;
    if (length === 0) return trailersOf(text, data, base, content);
    bytes += text.slice(data, data + length);
    at = data + length;
    const lineEnd = /^\r?\n/.exec(text.slice(at, at + 2))?.[0];
    if (lineEnd === undefined) {
      if (at >= text.length) return content({ end: text.length });
      if (text.slice(at) === '\r') return content({ end: text.length, line: '\r' });
      return content({ end: at, rest: at });
    }
    chunk['data_end'] = lineEnd === '\n' ? 'lf' : 'crlf';
    at += lineEnd.length;
  }
}

function trailersOf(
  text: string,
  at: number,
  base: number,
  content: (more: { end: number; isWhole: boolean }, trailers: object) => Content,
): Content {
  // The line before it, which ends in LF, makes an empty line of the next line end.
  const blank = /\n\r?\n/g;
  blank.lastIndex = at - 1;
  const isWhole = blank.exec(text) !== null;
  const end = isWhole ? blank.lastIndex : text.length;
  const { fields } = fieldsOf(linesOf(text, at, end, base));
  const trailers = { trailers: { offset: at - base, text: text.slice(at, end), fields } };
  // Nothing of them has arrived.
  return content({ end, isWhole }, at === text.length ? {} : trailers);
}
