import { paddingLengths, type Http1HeadFault, type LargeHead } from '../../../server/fault.ts';

const NAME = 'X-Fault';

/**
 * Makes a header section malformed (RFC 9112 2 to 6).
 *
 * @param section status line and field lines, with the empty line after them
 */
export function breakHead(section: string, how: Http1HeadFault): string {
  switch (how) {
    case 'bare-lf':
      return section.replaceAll('\r\n', '\n');
    case 'obs-fold':
      return withLine(section, `${NAME}: folded\r\n onto the next line`);
    case 'space-before-colon':
      return withLine(section, `${NAME} : space`);
    case 'no-colon':
      return withLine(section, NAME);
    case 'nul':
      return withLine(section, `${NAME}: a\0b`);
    case 'two-lengths':
      return withLine(section, `Content-Length: ${declaredLength(section) + 1}`);
    case 'length-and-chunked':
      return withLine(section, 'Transfer-Encoding: chunked');
    case 'no-status':
      return section.replace(/^.*/, 'HTTP/1.1');
    case 'bad-version':
      return section.replace(/^HTTP\/1\.1/, 'HTTP/9.9');
  }
}

function withLine(section: string, line: string): string {
  return `${section.slice(0, -2)}${line}\r\n\r\n`;
}

function declaredLength(section: string): number {
  return Number(/^content-length: (\d+)/im.exec(section)?.[1] ?? 0);
}

/** Bytes of a padding line with an empty value. */
const PADDING = `${NAME}: \r\n`.length;

/** Minimum bytes of a piece of padding lines; only the last piece may be shorter. */
const PIECE = 16 * 1024;

/**
 * Yields, in pieces, the padding lines that enlarge a header section to a size in bytes or a number of fields, and the
 * empty line after them.
 */
export function* enlargement(section: string, large: LargeHead): Generator<string> {
  let piece = '';
  for (const line of paddingLines(section, large)) {
    piece += line;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}\r\n`;
}

function* paddingLines(section: string, large: LargeHead): Generator<string> {
  if (large.how === 'size') {
    const lengths = paddingLengths(large.bytes - section.length, PADDING);
    for (const length of lengths) yield `${NAME}: ${'x'.repeat(length)}\r\n`;
    return;
  }
  // Counts neither the status line nor the empty line.
  const present = section.split('\r\n').length - 3;
  for (let at = present; at < large.fields; at++) yield `${NAME}: ${at}\r\n`;
}
