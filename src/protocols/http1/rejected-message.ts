import { METHODS } from 'node:http';
import type { Connection } from '../../net/connection.ts';
import { excerpt, OMITTED, type RejectedMessage } from '../../net/rejected-message.ts';

/** What Node tells of a message that it could not read. */
export interface ParseError extends NodeJS.ErrnoException {
  /** The bytes that were being read, and how many of them were. */
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** The first bytes of a message that the parser gave up on, or that was not complete in time. */
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
  const section = behindBlankLine(packet, error);
  const start = startOf(packet, section, error);
  if (start !== undefined) return { text: excerpt(packet.subarray(start)) };
  return { text: OMITTED + excerpt(packet.subarray(section)) };
}

const BLANK_LINE = Buffer.from('\r\n\r\n');

/** Where the section begins in which the parser stopped. */
function behindBlankLine(packet: Buffer, { bytesParsed = 0, code }: ParseError): number {
  // A method is refused at its first byte; what ends a section may be refused behind it.
  const last = code === 'HPE_INVALID_METHOD' ? bytesParsed : bytesParsed - 1;
  const at =
    last < BLANK_LINE.length ? -1 : packet.lastIndexOf(BLANK_LINE, last - BLANK_LINE.length);
  return at === -1 ? 0 : at + BLANK_LINE.length;
}

const REQUEST_LINE = /^((?:\r?\n)*)([!#$%&'*+.^_`|~\w-]+) \S.* HTTP\//;
const LONGEST_LINE = 1024;
/** What the parser has read of a method when it refuses it; no method is longer. */
const METHOD_BEGINNING = /[A-Z_-]{0,16}$/;

/**
 * Where the message begins; undefined where the packet does not tell. Content of the request before it
 * may stand between it and the blank line.
 */
function startOf(
  packet: Buffer,
  section: number,
  { bytesParsed = 0, code }: ParseError,
): number | undefined {
  if (code === 'HPE_INVALID_METHOD') {
    const read = packet.toString('latin1', section, bytesParsed);
    return bytesParsed - (METHOD_BEGINNING.exec(read)?.[0].length ?? 0);
  }
  const text = packet.toString('latin1', section, section + LONGEST_LINE);
  const [, emptyLines = '', word = ''] = REQUEST_LINE.exec(text) ?? [];
  for (let at = 0; at < word.length; at++) {
    // The parser has taken the method.
    if (METHODS.includes(word.slice(at))) return section + emptyLines.length + at;
  }
  return undefined;
}
