import type { FrontName } from '../front.ts';
import { escapeControls } from '../escape-controls.ts';

/** Bytes of a message's content that are shown. */
const MAX_CONTENT = 80;
/** Characters that are shown of a line outside of content. */
const MAX_LINE = 200;
/** Number of lines that are shown of what was sent, and of what was received. */
const MAX_LINES = 20;

/** How a report marks that it has left out the end of what was sent or received. */
const LEFT_OUT = /… \((\d+) bytes more\)$/;
/** The beginning of an HTTP/1.1 message. No line end separates a response from the content of the previous one. */
const MESSAGE_START =
  /(?=HTTP\/1\.[01] [1-5]\d\d[ \r])|(?<![^\sa-z])(?=[A-Z]+ \S+ HTTP\/1\.[01]\r\n)/;
const FRAME_START = /^(?=\w+ stream=\d+ flags=0x)/m;
const DATA_HEAD = /^DATA stream=(\d+) flags=0x([\da-f]+) length=(\d+)\n {2}/;
/** WINDOW_UPDATE frames that are not shown. An increment of 0, or near the overflow, may be what a check is about. */
const ORDINARY_WINDOW_UPDATE = /^WINDOW_UPDATE \S+ \S+ length=4 (?!0{8})[0-3]/;

/** What was sent or received, shortened for people. JSON reports have more of it. */
export function evidenceLines(text: string, front: FrontName): readonly string[] {
  const [, leftOut = '0'] = LEFT_OUT.exec(text) ?? [];
  const kept = text.replace(LEFT_OUT, '');
  const lines =
    front === 'h2' ? frameLines(kept, Number(leftOut)) : messageLines(kept, Number(leftOut));
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES), `… ${lines.length - MAX_LINES} lines more`];
}

/** Shortens HTTP/1.1 messages. @param leftOut number of bytes that the report cut off at the end */
function messageLines(text: string, leftOut: number): string[] {
  const messages = text.split(MESSAGE_START);
  return messages.flatMap((message, at) => {
    const end = message.indexOf('\r\n\r\n');
    const length = end === -1 ? message.length : end + 4;
    const after = at === messages.length - 1 ? leftOut : 0;
    const head = linesOf(escapeControls(message.slice(0, length))).map(cutLine);
    const content = message.slice(length);
    return head.concat(contentLines(content, after));
  });
}

/** Shortens a list of frames. @param leftOut number of bytes that the report cut off at the end */
function frameLines(text: string, leftOut: number): string[] {
  const streams = new Set<string>();
  let updates = 0;
  let data = 0;
  const lines = text.split(FRAME_START).flatMap((frame) => {
    if (ORDINARY_WINDOW_UPDATE.test(frame)) {
      updates++;
      return [];
    }
    const [head, stream = '', flags = '', length = ''] = DATA_HEAD.exec(frame) ?? [];
    if (head === undefined) return linesOf(escapeControls(frame, false)).map(cutLine);
    const isLast = (Number.parseInt(flags, 16) & 1) !== 0;
    if (streams.has(stream) && !isLast) {
      data++;
      return [];
    }
    streams.add(stream);
    const content = frame.slice(head.length).replace(/\n$/, '');
    const shown = contentLines(content, Math.max(0, Number(length) - content.length), false);
    return [head.trimEnd()].concat(shown.map((line) => `  ${line}`));
  });
  const omitted = [
    ...(data > 0 ? [`${data} DATA`] : []),
    ...(updates > 0 ? [`${updates} WINDOW_UPDATE`] : []),
    ...(leftOut > 0 ? [`${leftOut} bytes after these`] : []),
  ];
  return omitted.length === 0 ? lines : [...lines, `… left out: ${omitted.join(', ')}`];
}

/** Shortens content. @param leftOut number of its bytes that are already missing */
function contentLines(content: string, leftOut: number, isBytes = true): string[] {
  if (content.length + leftOut === 0) return [];
  const more = Math.max(0, content.length - MAX_CONTENT) + leftOut;
  const text = escapeControls(content.slice(0, MAX_CONTENT), isBytes);
  return linesOf(more === 0 ? text : `${text}… (${more} bytes more)`);
}

/** Cuts a line after `MAX_LINE` characters. */
export function cutLine(line: string): string {
  return line.length <= MAX_LINE
    ? line
    : `${line.slice(0, MAX_LINE)}… (${line.length - MAX_LINE} bytes more)`;
}

const linesOf = (text: string): string[] => text.replace(/\n$/, '').split('\n');
