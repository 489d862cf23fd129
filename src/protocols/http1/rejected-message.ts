import { METHODS } from '../../net/node-http.ts';
import { TOKEN } from '../../http/syntax.ts';
import type { Connection } from '../../net/connection.ts';
import type { ParserError } from '../../net/inspector.ts';
import { excerpt, OMITTED, type RejectedMessage } from '../../net/rejected-message.ts';

/** Node's error for an invalid message. */
export type ParseError = NodeJS.ErrnoException & ParserError;

/** The first bytes of a message that was invalid, or timed out. */
export function rejectedMessage(
  { firstBytes, requests }: Connection,
  error: ParseError = new Error(),
): RejectedMessage {
  const { rawPacket: packet } = error;
  if (requests === 0 && firstBytes) {
    const isFirst = !packet || packet.subarray(0, firstBytes.length).equals(firstBytes);
    if (isFirst) return { text: excerpt(packet ?? firstBytes) };
    return { text: excerpt(firstBytes) + OMITTED + excerpt(packet) };
  }
  if (!packet) return {};
  const section = sectionStart(packet, error);
  const start = messageStart(packet, section, error);
  if (start !== undefined) return { text: excerpt(packet.subarray(start)) };
  return { text: OMITTED + excerpt(packet.subarray(section)) };
}

const BLANK_LINE = Buffer.from('\r\n\r\n');

/** The start of the section in which the parser stopped: after the last empty line. */
function sectionStart(packet: Buffer, { bytesParsed = 0, code }: ParseError): number {
  // The parser stops at the first byte of a bad method, but maybe only after the last byte of a bad section.
  const last = code === 'HPE_INVALID_METHOD' ? bytesParsed : bytesParsed - 1;
  const at =
    last < BLANK_LINE.length ? -1 : packet.lastIndexOf(BLANK_LINE, last - BLANK_LINE.length);
  return at === -1 ? 0 : at + BLANK_LINE.length;
}

const REQUEST_LINE = new RegExp(String.raw`^((?:\r?\n)*)(${TOKEN}) \S.* HTTP/`);
const MAX_LINE = 1024;
/** Beginning of a method that was parsed before it was rejected. No known method is longer. */
const METHOD_BEGINNING = /[A-Z_-]{0,16}$/;

/**
 * The start of the message; undefined if it cannot be determined. Content of the previous request may precede it, after
 * the empty line.
 */
function messageStart(
  packet: Buffer,
  section: number,
  { bytesParsed = 0, code }: ParseError,
): number | undefined {
  if (code === 'HPE_INVALID_METHOD') {
    const read = packet.toString('latin1', section, bytesParsed);
    return bytesParsed - (METHOD_BEGINNING.exec(read)?.[0].length ?? 0);
  }
  const text = packet.toString('latin1', section, section + MAX_LINE);
  const [, emptyLines = '', word = ''] = REQUEST_LINE.exec(text) ?? [];
  for (let at = 0; at < word.length; at++) {
    // The method was accepted, so the message begins with it.
    if (METHODS.includes(word.slice(at))) return section + emptyLines.length + at;
  }
  return undefined;
}
