import { STATUS_CODES } from 'node:http';
import { problemReply } from '../../server/reply.ts';
import { randomUuid } from '../../server/request-id.ts';
import { milliseconds } from '../../server/response-fields.ts';
import { Problem } from '../../http/problem.ts';
import type { ParseError } from './rejected-message.ts';

/**
 * What to answer a message that the parser gave up on; undefined where there is nobody or nothing
 * to answer. The codes are llhttp's, and Node's own.
 *
 * @param firstBytes the connection's, where the message is its first
 */
export function parserErrorToProblem(error: ParseError, firstBytes?: Buffer): Problem | undefined {
  switch (error.code) {
    case 'ECONNRESET':
    case 'EPIPE':
    case 'HPE_CLOSED_CONNECTION':
      return undefined;
    case 'HPE_HEADER_OVERFLOW':
      return isInTarget(error, firstBytes)
        ? new Problem('target-too-long', 'the target exceeds the limit of the header section')
        : new Problem('fields-too-large', 'the header section exceeds the limit');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Problem('content-too-large', 'the chunk extensions exceed the limit');
    case 'HPE_INVALID_VERSION':
      // llhttp's code also for what should have been the line's end.
      if (error.message.includes('CRLF')) return unparsable(error);
      return new Problem('version-not-supported', 'the version is neither HTTP/1.0 nor HTTP/1.1');
    case 'HPE_INVALID_METHOD':
      return isRequestLine(error) ? unknownMethod(error, firstBytes) : unparsable(error);
    case 'HPE_INVALID_CONSTANT':
      // A method of RTSP.
      return error.message.includes('method for HTTP')
        ? unknownMethod(error, firstBytes)
        : unparsable(error);
    case 'HPE_PAUSED_H2_UPGRADE':
      return new Problem('invalid-message', 'the HTTP/2 connection preface on HTTP/1.1');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeoutProblem();
    default:
      return unparsable(error);
  }
}

// The parser stops at the byte that makes the method unknown; what follows may yet have to come.
const REQUEST_LINE = /^[!#$%&'*+.^_`|~\w-]+ \S+ HTTP\/\d\.\d\r\n/;

function isRequestLine(error: ParseError): boolean {
  return REQUEST_LINE.test(lineOf(error));
}

/** From the beginning of the line that was being read, as far as it is among the bytes. */
function lineOf({ rawPacket, bytesParsed = 0 }: ParseError): string {
  const bytes = rawPacket?.toString('latin1') ?? '';
  return bytes.slice(bytes.lastIndexOf('\n', bytesParsed) + 1);
}

/** A method and the beginning of a target, of a form that can be long. */
const OPEN_REQUEST_LINE = /^(?:\r?\n)?[!#$%&'*+.^_`|~\w-]+ (?:\/|https?:)\S*$/i;

/**
 * Whether the parser was still in the request line, as far as can be told: of what came before the
 * bytes that it was reading only a connection's first ones are known.
 */
function isInTarget({ rawPacket, bytesParsed = 0 }: ParseError, firstBytes?: Buffer): boolean {
  const read = rawPacket?.toString('latin1', 0, bytesParsed) ?? '';
  const line = read.slice(read.lastIndexOf('\n') + 1);
  if (OPEN_REQUEST_LINE.test(line)) return true;
  return line === read && OPEN_REQUEST_LINE.test(firstBytes?.toString('latin1') ?? '');
}

/** Characters of a method that are told. */
const LONGEST_METHOD = 64;

/**
 * RFC 9110 9.1. The method is named unless its beginning may have come before the bytes that were being
 * read: of those only a connection's first ones are known.
 */
function unknownMethod(error: ParseError, firstBytes?: Buffer): Problem {
  const line = lineOf(error);
  const { rawPacket } = error;
  const isWhole =
    line.length < (rawPacket?.length ?? 0) ||
    !firstBytes ||
    rawPacket?.subarray(0, firstBytes.length).equals(firstBytes) === true;
  const [method = ''] = REQUEST_LINE.test(line) ? line.split(' ', 1) : [];
  const isTold = isWhole && method !== '' && method.length <= LONGEST_METHOD;
  const name = isTold ? `the method ${method}` : 'this method';
  return new Problem('not-implemented', `Node's parser of HTTP/1.1 does not know ${name}`);
}

function unparsable({ message }: Error): Problem {
  return new Problem('invalid-message', message.replace(/^Parse Error: /, ''));
}

/**
 * A whole response for a message that never became a request, to be written as latin1.
 *
 * @param more field lines
 */
export function problemMessage(problem: Problem, more: readonly string[]): string {
  const { status, fields } = problemReply(problem);
  const content = Buffer.from(problem.toDocument()).toString('latin1');
  const lines = [...fields, 'Content-Length', String(content.length), ...more];
  lines.push('X-Request-Id', randomUuid(), 'X-Response-Time', milliseconds(0));
  lines.push('Date', new Date().toUTCString(), 'Connection', 'close');
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  for (let at = 0; at < lines.length; at += 2) head += `${lines[at]}: ${lines[at + 1]}\r\n`;
  return `${head}\r\n${content}`;
}

/** The request's time is up. */
export function requestTimeoutProblem(): Problem {
  return new Problem('request-timeout', 'the request was not complete in time');
}
