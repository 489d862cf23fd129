import { METHODS, STATUS_CODES } from '../../net/node-http.ts';
import { problemReply } from '../../server/reply.ts';
import {
  addConnectionFields,
  addProcessField,
  milliseconds,
  randomUuid,
  type CommonFields,
} from '../../server/response-fields.ts';
import type { Connection } from '../../net/connection.ts';
import { Problem } from '../../http/problem.ts';
import { TOKEN } from '../../http/syntax.ts';
import type { ParseError } from './rejected-message.ts';

/**
 * The problem for an error of llhttp or Node; undefined if no response must be sent.
 *
 * @param firstBytes first bytes of the connection, if the message is its first
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
      // llhttp uses this code also for a missing CRLF after the version.
      if (error.message.includes('CRLF')) return invalidMessage(error);
      return new Problem('version-not-supported', 'the version is neither HTTP/1.0 nor HTTP/1.1');
    case 'HPE_INVALID_METHOD':
      if (!isRequestLine(error)) return invalidMessage(error);
      return isWithinLine(error)
        ? new Problem(
            'invalid-message',
            'the bytes after the previous request do not begin a request line',
          )
        : unknownMethod(error, firstBytes);
    case 'HPE_INVALID_CONSTANT':
      // llhttp knows the method, but only for RTSP.
      return error.message.includes('method for HTTP')
        ? unknownMethod(error, firstBytes)
        : invalidMessage(error);
    case 'HPE_PAUSED_H2_UPGRADE':
      return new Problem('invalid-message', 'HTTP/2 connection preface on HTTP/1.1');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeoutProblem();
    default:
      return invalidMessage(error);
  }
}

// A complete request line. When the parser stops at an unknown method, the rest may not have arrived.
const REQUEST_LINE = new RegExp(String.raw`^${TOKEN} \S+ HTTP/\d\.\d\r\n`);

function isRequestLine(error: ParseError): boolean {
  return REQUEST_LINE.test(restFromLine(error));
}

/** Whether content of the previous request ended within the line, so that the line does not begin with the method. */
function isWithinLine(error: ParseError): boolean {
  const { rawPacket, bytesParsed = 0 } = error;
  const line = restFromLine(error);
  const [method = ''] = line.split(' ', 1);
  const start = (rawPacket?.length ?? 0) - line.length;
  return bytesParsed - start > method.length || METHODS.includes(method);
}

/** The rest of the packet, from the line on in which the parser stopped. */
function restFromLine({ rawPacket, bytesParsed = 0 }: ParseError): string {
  const bytes = rawPacket?.toString('latin1') ?? '';
  return bytes.slice(bytes.lastIndexOf('\n', bytesParsed) + 1);
}

/** A method, and the beginning of a path or absolute URI, which may be long. */
const OPEN_REQUEST_LINE = new RegExp(String.raw`^(?:\r?\n)?${TOKEN} (?:/|https?:)\S*$`, 'i');

/**
 * Whether the parser stopped in the request line, as far as is known: of earlier packets, only the connection's first
 * bytes are kept.
 */
function isInTarget({ rawPacket, bytesParsed = 0 }: ParseError, firstBytes?: Buffer): boolean {
  const read = rawPacket?.toString('latin1', 0, bytesParsed) ?? '';
  const line = read.slice(read.lastIndexOf('\n') + 1);
  if (OPEN_REQUEST_LINE.test(line)) return true;
  return line === read && OPEN_REQUEST_LINE.test(firstBytes?.toString('latin1') ?? '');
}

/** Maximum characters of a method that a problem names. */
const MAX_NAMED_METHOD = 64;

/** The problem of an unknown method (RFC 9110 9.1), which it names unless an earlier packet has a part of it. */
function unknownMethod(error: ParseError, firstBytes?: Buffer): Problem {
  const line = restFromLine(error);
  const { rawPacket } = error;
  const isWhole =
    line.length < (rawPacket?.length ?? 0) ||
    !firstBytes ||
    rawPacket?.subarray(0, firstBytes.length).equals(firstBytes) === true;
  const [method = ''] = REQUEST_LINE.test(line) ? line.split(' ', 1) : [];
  const isNamed = isWhole && method !== '' && method.length <= MAX_NAMED_METHOD;
  const name = isNamed ? `the method ${method}` : 'this method';
  return new Problem('not-implemented', `Node's parser of HTTP/1.1 does not know ${name}`);
}

function invalidMessage({ message }: Error): Problem {
  return new Problem('invalid-message', message.replace(/^Parse Error: /, ''));
}

/** A complete response to a message that never became a request. To be written as Latin-1. */
export function problemMessage(
  problem: Problem,
  connection: Connection,
  { connFields, lean }: CommonFields,
): string {
  const { status, fields } = problemReply(problem);
  const content = Buffer.from(problem.toDocument()).toString('latin1');
  const lines = [...fields, 'Content-Length', String(content.length)];
  if (connFields) addConnectionFields(connection, lines);
  addProcessField(connection, lines);
  if (!lean) lines.push('X-Request-Id', randomUuid(), 'X-Response-Time', milliseconds(0));
  lines.push('Date', new Date().toUTCString(), 'Connection', 'close');
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  for (let at = 0; at < lines.length; at += 2) head += `${lines[at]}: ${lines[at + 1]}\r\n`;
  return `${head}\r\n${content}`;
}

export function requestTimeoutProblem(): Problem {
  return new Problem('request-timeout', 'the request was not complete in time');
}
