import type { Outcome, READERS } from './http1/reading.ts';

/** A way in which wirebin reads HTTP/1.x differently from other readers. */
export interface Difference {
  readonly name: string;
  readonly wirebin: 'accepts' | 'refuses';
  /** What the readers that differ do; the others do as wirebin does. */
  readonly readers: Readonly<Partial<Record<(typeof READERS)[number], Outcome>>>;
  /** What decides it for wirebin. */
  readonly section: string;
  readonly why: string;
  /** Finds it in the bytes of a connection, in latin1. */
  readonly input: RegExp;
  /** The bytes of a connection up to its last request. */
  readonly example: string;
  /** The version of llhttp from which on it does otherwise than here. */
  readonly untilLlhttp?: string;
}

/** A complete request with content that the echo shows. */
function post(line: string, lines: string, content = ''): string {
  return `${line}\r\nHost: x\r\n${lines}\r\n${content}`;
}

const LINE = 'POST /anything HTTP/1.1';
const GET_LINE = 'GET /anything HTTP/1.1';
const LENGTH = 'Content-Length: 5\r\n';
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const chunk = (line: string, trailers = ''): string =>
  post(LINE, CHUNKED, `${line}\r\nhello\r\n0\r\n${trailers}\r\n`);
const host = (value: string): string => `${GET_LINE}\r\nHost:${value}\r\n\r\n`;

/** A method that is not among those of llhttp. */
const UNKNOWN_METHOD =
  /(?<![!#$%&'*+.^_`|~\w-])(?!(?:GET|HEAD|POST|PUT|DELETE|PATCH|PURGE|QUERY|SOURCE|M-SEARCH|CONNECT) )[!#$%&'*+.^_`|~\w-]+ \S+ HTTP\//;
/** Line ends before a request line that are not all CRLF. */
const STRAY_LINE_END = /(?:^|[^\r\n])(?!(?:\r\n)+[^\r\n])[\r\n]+[!-~]+ \S+ HTTP\//;

/** Start lines (RFC 9112 2.2, 2.3, 3). */
const startLines: readonly Difference[] = [
  {
    name: 'a method that llhttp does not know',
    wirebin: 'accepts',
    readers: { llhttp: 'refuses' },
    section: 'RFC 9110 9.1',
    why: 'A method is any token; each endpoint declares those that it supports.',
    input: UNKNOWN_METHOD,
    example: post('BREW /anything HTTP/1.1', ''),
  },
  {
    name: 'CONNECT',
    wirebin: 'refuses',
    readers: { h11: 'accepts', go: 'accepts' },
    section: 'RFC 9110 9.3.6',
    why: 'wirebin is not a proxy. What follows could be meant for a tunnel, so nothing after it is read.',
    input: /CONNECT /,
    example: post('CONNECT y:80 HTTP/1.1', ''),
  },
  {
    name: 'an empty line before the request line',
    wirebin: 'accepts',
    readers: { h11: 'refuses', go: 'refuses' },
    section: 'RFC 9112 2.2',
    why: 'A server SHOULD ignore at least one.',
    input: /^\r\n|\r\n\r\n\r\n|[^\n]\r\n[!-~]+ \S+ HTTP\//,
    example: `\r\n${post(LINE, LENGTH, 'hello')}`,
  },
  {
    name: 'a bare CR or LF before the request line',
    wirebin: 'refuses',
    readers: { llhttp: 'accepts' },
    section: 'RFC 9112 2.2',
    why: 'An empty line is CRLF. llhttp skips any sequence of CR and LF.',
    input: STRAY_LINE_END,
    example: `\r${post(LINE, LENGTH, 'hello')}`,
  },
  {
    name: 'a bare CR or LF between a POST and the next request line',
    wirebin: 'refuses',
    readers: { llhttp: 'accepts', go: 'accepts' },
    section: 'RFC 9112 2.2',
    why: 'An empty line is CRLF. After a POST, Go too skips up to four bytes of CR and LF.',
    input: STRAY_LINE_END,
    example: `${post(LINE, LENGTH, 'hello')}\r`,
  },
  {
    name: 'more than one space between the parts',
    wirebin: 'refuses',
    readers: { llhttp: 'accepts' },
    section: 'RFC 9112 3',
    why: 'The grammar has a single space. Recipients MAY be lenient; llhttp is.',
    input: /\S {2,}\S/,
    example: post('POST  /anything HTTP/1.1', ''),
  },
  {
    name: 'another protocol than HTTP',
    wirebin: 'refuses',
    readers: { llhttp: 'accepts' },
    section: 'RFC 9112 2.3',
    why: 'llhttp also reads RTSP and ICE.',
    input: / (?:RTSP|ICE)\/1/,
    example: post('POST /anything RTSP/1.1', ''),
  },
  {
    name: 'a minor version above 1.1',
    wirebin: 'refuses',
    readers: { h11: 'accepts', go: 'accepts' },
    section: 'RFC 9110 15.6.6',
    why: 'No such version exists. RFC 9110 2.5 lets a server read it as 1.1; wirebin responds with 505.',
    input: / HTTP\/1\.[2-9]\r\n/,
    example: post('POST /anything HTTP/1.2', LENGTH, 'hello'),
  },
  {
    name: 'a major version other than 1',
    wirebin: 'refuses',
    readers: { llhttp: 'accepts', h11: 'accepts' },
    section: 'RFC 9110 15.6.6',
    why: 'Messages of another major version have another syntax.',
    input: / HTTP\/(?!1\.)\d\.\d\r\n/,
    example: post('POST /anything HTTP/2.0', ''),
  },
  {
    name: 'a request line without a version',
    wirebin: 'refuses',
    readers: { llhttp: 'accepts' },
    section: 'RFC 9110 15.6.6',
    why: 'HTTP/0.9 is not supported: 505.',
    input: /(?:^|\n|[^\w:])[A-Z]+ [^ \r\n]+\r\n/,
    example: post('GET /anything', ''),
  },
];

/** Targets (RFC 9112 3.2). */
const targets: readonly Difference[] = [
  {
    name: 'a path without a slash',
    wirebin: 'refuses',
    readers: { h11: 'accepts' },
    section: 'RFC 9112 3.2',
    why: 'It matches none of the four forms of a target.',
    input: /[!-~]+ +(?![/*]|[a-z]+:)[^ \r\n]+ +HTTP/i,
    example: post('GET anything HTTP/1.1', ''),
  },
  {
    name: 'authority form without CONNECT, and a URI without a valid authority',
    wirebin: 'refuses',
    readers: { h11: 'accepts', go: 'accepts' },
    section: 'RFC 9112 3.2',
    why: 'Authority form is for CONNECT only, and an http URI needs a host (RFC 9110 4.2.1).',
    input:
      /[!-~]+ +(?:[a-z][\w+.-]*:(?!\/\/)|[a-z]*\d[\w+.-]*:|https?:\/\/[^/ ]*[^\w.:[\]/ -])[^ ]* HTTP/i,
    example: post('GET y:80 HTTP/1.1', ''),
  },
  {
    name: 'userinfo, an empty host or another scheme in absolute form',
    wirebin: 'refuses',
    readers: { llhttp: 'accepts', h11: 'accepts', go: 'accepts' },
    section: 'RFC 9110 4.2',
    why: 'Two recipients may disagree on the host that is meant.',
    input: /[!-~]+ +(?:(?!https?:)[a-z]+:\/\/|https?:\/\/(?:\/|[^/ ]*@))/i,
    example: post('GET http://u@y/anything HTTP/1.1', ''),
  },
  {
    name: 'a malformed port in absolute form',
    wirebin: 'refuses',
    readers: { llhttp: 'accepts', h11: 'accepts' },
    section: 'RFC 3986 3.2.3',
    why: 'A port is a number.',
    input: /[!-~]+ +https?:\/\/[^/? ]*:\d*[^\d/? ]/i,
    example: post('GET http://y:8;/anything HTTP/1.1', ''),
  },
  {
    name: 'a fragment',
    wirebin: 'refuses',
    readers: { llhttp: 'accepts', h11: 'accepts', go: 'accepts' },
    section: 'RFC 9110 7.1',
    why: 'A target has no fragment.',
    input: / [^ \r\n]*#\S* HTTP/,
    example: post('GET /anything#a HTTP/1.1', ''),
  },
  {
    name: 'asterisk form without OPTIONS',
    wirebin: 'refuses',
    readers: { llhttp: 'accepts', h11: 'accepts', go: 'accepts' },
    section: 'RFC 9112 3.2.4',
    why: 'Asterisk form is for OPTIONS only.',
    input: /[!-~]+ +\*/,
    example: post('GET * HTTP/1.1', ''),
  },
  {
    name: 'a byte above 127 in the target',
    wirebin: 'refuses',
    readers: { go: 'accepts' },
    section: 'RFC 3986 2',
    why: 'A URI is ASCII.',
    input: / [^ \r\n]*[\x80-\xff][^ \r\n]* HTTP/,
    example: post('GET /anything\xe9 HTTP/1.1', ''),
  },
  {
    name: 'an invalid percent-encoding in the target',
    wirebin: 'accepts',
    readers: { go: 'refuses' },
    section: 'RFC 3986 2.1',
    why: 'wirebin does not decode the path; the echo shows it as sent.',
    input: / \S*%(?![\da-f]{2})\S* HTTP/i,
    example: post('GET /anything/%zz HTTP/1.1', ''),
  },
];

/** Host (RFC 9112 3.2). A proxy and a server that disagree on it route one request to two hosts. */
const hosts: readonly Difference[] = [
  {
    name: 'no Host, or two',
    wirebin: 'refuses',
    readers: { llhttp: 'accepts' },
    section: 'RFC 9112 3.2',
    why: 'HTTP/1.1 requires exactly one. Node checks this above llhttp.',
    input:
      / HTTP\/1\.1\r\n(?:(?!Host:)[^\r\n][^\n]*\n)*\r\n|\nHost:[^\n]*\n(?:[^\r\n][^\n]*\n)*Host:/i,
    example: `${GET_LINE}\r\nX: y\r\n\r\n`,
  },
  {
    name: 'an invalid character in Host',
    wirebin: 'refuses',
    readers: { llhttp: 'accepts', h11: 'accepts' },
    section: 'RFC 9112 3.2',
    why: 'Host is a uri-host with an optional port: no white space, comma, path or userinfo.',
    input:
      /\nHost:[ \t]*[^ \t\r\n][^\r\n]*[ \t][^ \t\r\n]|\nHost:[^\r\n]*[,/@"<>\\^`{|}\x80-\xff]/i,
    example: host(' a, b'),
  },
  {
    name: 'an empty Host, or a malformed port or IPv6 address',
    wirebin: 'refuses',
    readers: { llhttp: 'accepts', h11: 'accepts', go: 'accepts' },
    section: 'RFC 9112 3.2',
    why: 'An http URI needs a host (RFC 9110 4.2.1), and a port is a number.',
    input: /\nHost:[ \t]*(?:\r\n|:|[^[\r\n]*:[^\r\n]*[^\d \t\r\n]|\[[^\]\r\n]*\r)/i,
    example: host(''),
  },
];

/** Field lines (RFC 9112 5). */
const fields: readonly Difference[] = [
  {
    name: 'a bare LF as the end of a line',
    wirebin: 'refuses',
    readers: { h11: 'accepts', go: 'accepts' },
    section: 'RFC 9112 2.2',
    why: 'Recipients MAY accept it. If only one of two does, a field line hides in a value.',
    input: /(?<!\r)\n/,
    example: `${GET_LINE}\nHost: x\r\n\r\n`,
  },
  {
    name: 'a control character in a value',
    wirebin: 'refuses',
    readers: { h11: 'accepts' },
    section: 'RFC 9110 5.5',
    why: 'Field values have no control characters except HTAB.',
    // oxlint-disable-next-line no-control-regex -- it looks for them
    input: /[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]/,
    example: post(LINE, 'X-A: \x01\r\n'),
  },
  {
    name: 'obs-fold',
    wirebin: 'refuses',
    readers: { h11: 'accepts', go: 'accepts' },
    section: 'RFC 9112 5.2',
    why: 'A server refuses it or replaces it by spaces. wirebin refuses it, so that it is noticed.',
    input: /\n[ \t]/,
    example: post(LINE, 'X-A: a\r\n b\r\n'),
  },
];

const TAB_AFTER = /(?:Content-Length|Transfer-Encoding):[^\r\n]*\t *\r\n/i;

/** Content-Length (RFC 9110 8.6) and Transfer-Encoding (RFC 9112 6.1). */
const framing: readonly Difference[] = [
  {
    name: 'Content-Length beside Transfer-Encoding',
    wirebin: 'refuses',
    readers: { h11: 'accepts', go: 'accepts' },
    section: 'RFC 9112 6.1',
    why: 'A server MAY refuse it. A proxy that ignores Transfer-Encoding finds another end.',
    input:
      /Content-Length:[^\n]*\n(?:[^\r\n][^\n]*\n)*[ \t]*Transfer-Encoding:|Transfer-Encoding:[^\n]*\n(?:[^\r\n][^\n]*\n)*Content-Length:/i,
    example: post(LINE, `${LENGTH}${CHUNKED}`, '5\r\nhello\r\n0\r\n\r\n'),
  },
  {
    name: 'Content-Length twice, with the same value',
    wirebin: 'refuses',
    readers: { h11: 'accepts', go: 'accepts' },
    section: 'RFC 9112 6.3',
    why: 'A recipient refuses it or merges the fields. wirebin refuses it.',
    input: /Content-Length:[ \t]*(\d+)[ \t]*\r\nContent-Length:/i,
    example: post(LINE, `${LENGTH}${LENGTH}`, 'hello'),
  },
  {
    name: 'a list of the same Content-Length',
    wirebin: 'refuses',
    readers: { h11: 'accepts' },
    section: 'RFC 9112 6.3',
    why: 'As for two field lines.',
    input: /Content-Length:[^\r\n]*,/i,
    example: post(LINE, 'Content-Length: 5, 5\r\n', 'hello'),
  },
  {
    name: 'a Content-Length or chunk size of more than 20 digits',
    wirebin: 'accepts',
    readers: { h11: 'refuses' },
    section: 'RFC 9110 8.6',
    why: 'Leading zeros do not change the value, which is what wirebin limits.',
    input: /\n[^\n]*\d{21}/,
    example: post(LINE, 'Content-Length: 000000000000000000005\r\n', 'hello'),
  },
  {
    name: 'a chunk size of more than 16 digits',
    wirebin: 'accepts',
    readers: { h11: 'refuses', go: 'refuses' },
    section: 'RFC 9112 7.1',
    why: 'As for Content-Length.',
    input: /\n[\da-f]{17}/i,
    example: chunk('000000000000000000000005'),
  },
  {
    name: 'an empty element in Transfer-Encoding',
    wirebin: 'accepts',
    readers: { h11: 'refuses', go: 'refuses' },
    section: 'RFC 9110 5.6.1',
    why: 'A recipient ignores empty elements of a list.',
    input: /Transfer-Encoding:[ \t]*,/i,
    example: post(LINE, 'Transfer-Encoding: , chunked\r\n', '5\r\nhello\r\n0\r\n\r\n'),
  },
  {
    name: 'an empty element after chunked',
    wirebin: 'accepts',
    readers: { llhttp: 'refuses', h11: 'refuses', go: 'refuses' },
    section: 'RFC 9110 5.6.1',
    why: 'A recipient ignores empty elements of a list.',
    input: /chunked[ \t]*,[ \t,]*\r\n/i,
    example: post(LINE, 'Transfer-Encoding: chunked,\r\n', '5\r\nhello\r\n0\r\n\r\n'),
  },
  {
    name: 'Transfer-Encoding in HTTP/1.0',
    wirebin: 'refuses',
    readers: { llhttp: 'accepts', h11: 'accepts', go: 'accepts' },
    section: 'RFC 9112 6.1',
    why: 'A server MUST treat the framing as faulty.',
    input: / HTTP\/1\.0\r\n(?:[^\r\n][^\n]*\n)*Transfer-Encoding:/i,
    example: post('POST /anything HTTP/1.0', CHUNKED, '5\r\nhello\r\n0\r\n\r\n'),
  },
  {
    name: 'a tab after Content-Length or chunked',
    wirebin: 'accepts',
    readers: { llhttp: 'refuses' },
    section: 'RFC 9112 5',
    why: 'White space around a value is SP or HTAB. llhttp knows SP only.',
    input: TAB_AFTER,
    example: post(LINE, 'Content-Length: 5\t\r\n', 'hello'),
    untilLlhttp: '9.4',
  },
  {
    name: 'a coding before chunked',
    wirebin: 'refuses',
    readers: { llhttp: 'accepts' },
    section: 'RFC 9112 6.1',
    why: 'wirebin implements chunked only: 501. llhttp leaves other codings to its user.',
    input:
      /Transfer-Encoding:[^\r\n]*[^\s,][^\r\n]*,|Transfer-Encoding:[^\n]*\n(?:[^\r\n][^\n]*\n)*Transfer-Encoding:/i,
    example: post(LINE, 'Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n'),
  },
  {
    name: 'an empty Transfer-Encoding',
    wirebin: 'refuses',
    readers: { llhttp: 'accepts' },
    section: 'RFC 9112 6.3',
    why: 'The last coding is not chunked.',
    input: /Transfer-Encoding:[ \t]*\r\n/i,
    example: post(LINE, 'Transfer-Encoding:\r\n'),
    untilLlhttp: '9.4',
  },
];

/** A chunk line with anything but valid extensions without white space after the size. */
const MALFORMED_EXTENSION =
  // oxlint-disable-next-line no-control-regex -- they are what is malformed
  /\n[\da-f]+(?!(?:;[!#$%&'*+.^_`|~\w-]+(?:=(?:[!#$%&'*+.^_`|~\w-]+|"(?:[^"\\\0-\x1f\x7f]|\\[ -~])*"))?)*\r\n)[ \t]*;/i;

/** Chunks (RFC 9112 7.1) and trailer fields. */
const chunks: readonly Difference[] = [
  {
    name: 'white space before a chunk extension',
    wirebin: 'accepts',
    readers: { llhttp: 'refuses', h11: 'refuses', go: 'refuses' },
    section: 'RFC 9112 7.1.1',
    why: 'Recipients MUST accept BWS (RFC 9110 5.6.3).',
    input: /\n[\da-f]+[ \t]+;/i,
    example: chunk('5 ;a=b'),
  },
  {
    name: 'white space within a chunk extension',
    wirebin: 'accepts',
    readers: { llhttp: 'refuses' },
    section: 'RFC 9112 7.1.1',
    why: 'Recipients MUST accept BWS (RFC 9110 5.6.3).',
    input: /\n[\da-f]+[ \t]*;[^\n]*[ \t]/i,
    example: chunk('5; a = b'),
  },
  {
    name: 'white space after a chunk size or extension',
    wirebin: 'refuses',
    readers: { h11: 'accepts', go: 'accepts' },
    section: 'RFC 9112 7.1',
    why: 'The grammar has BWS only before an extension and within it.',
    input: /\n[\da-f]+(?:;[^\n]*)?[ \t]+\r\n/i,
    example: chunk('5 '),
  },
  {
    name: 'a malformed chunk extension',
    wirebin: 'refuses',
    readers: { h11: 'accepts', go: 'accepts' },
    section: 'RFC 9112 7.1.1',
    why: 'The others skip to the end of the line, on which two readers may disagree.',
    input: MALFORMED_EXTENSION,
    example: chunk('5;'),
  },
  {
    name: 'a chunk extension with a part missing, or a quote within a value',
    wirebin: 'refuses',
    readers: { llhttp: 'accepts', h11: 'accepts', go: 'accepts' },
    section: 'RFC 9112 7.1.1',
    why: 'A name is a token, and a value is a token or a quoted string.',
    input: /\n[\da-f]+[^\r\n]*(?:;[ \t]*[=;]|=[ \t]*[;\r]|[^\s;="]")/i,
    example: chunk('5;=b'),
  },
  {
    name: 'Content-Length or Transfer-Encoding as a trailer field',
    wirebin: 'refuses',
    readers: { h11: 'accepts', go: 'accepts' },
    section: 'RFC 9110 6.5.1',
    why: 'Senders MUST NOT do so. A recipient that merges trailers would use them for framing.',
    input: /\n0+[^\n]*\n(?:[^\r\n][^\n]*\n)*(?:Content-Length|Transfer-Encoding):/i,
    example: chunk('5', 'Content-Length: 5\r\n'),
  },
  {
    name: 'white space in the name of a trailer field',
    wirebin: 'refuses',
    readers: { go: 'accepts' },
    section: 'RFC 9112 5.1',
    why: 'As in the header section.',
    input: /\n[^:\r\n]*[ \t][^:\r\n]*:/,
    example: chunk('5', 'X-T : 1\r\n'),
  },
  {
    name: 'Connection: close as a trailer field',
    wirebin: 'accepts',
    readers: { llhttp: 'refuses' },
    section: 'RFC 9110 6.5.1',
    why: 'Trailers do not affect the connection. llhttp treats it like a header field, and stops.',
    input: /\n0+[^\n]*\n(?:[^\r\n][^\n]*\n)*Connection:/i,
    example: chunk('5', 'Connection: close\r\n'),
  },
];

/** Whether another request follows (RFC 9112 9.3). */
const persistence: readonly Difference[] = [
  {
    name: 'HTTP/1.0 with keep-alive',
    wirebin: 'accepts',
    readers: { h11: 'refuses' },
    section: 'RFC 9112 9.3',
    why: 'The connection persists. h11 closes it.',
    input: / HTTP\/1\.0\r\n(?:[^\r\n][^\n]*\n)*Connection:[^\n]*keep-alive/i,
    example: post('POST /anything HTTP/1.0', `Connection: keep-alive\r\n${LENGTH}`, 'hello'),
  },
  {
    name: 'HTTP/1.0 with keep-alive and close',
    wirebin: 'refuses',
    readers: { llhttp: 'accepts', go: 'accepts' },
    section: 'RFC 9112 9.3',
    why: 'close takes precedence. For llhttp and Go keep-alive does.',
    input: / HTTP\/1\.0\r\n(?:[^\r\n][^\n]*\n)*Connection:[^\n]*keep-alive/i,
    example: post('POST /anything HTTP/1.0', `Connection: keep-alive, close\r\n${LENGTH}`, 'hello'),
  },
  {
    name: 'close within a malformed Connection',
    wirebin: 'accepts',
    readers: { go: 'refuses' },
    section: 'RFC 9110 7.6.1',
    why: 'The value is not a list that contains close. Go looks for the word.',
    input: /Connection:(?=[^\r\n]*close)(?:[^\r\n]*[^\w\s,-]|[ \t]*[^\s,]+[ \t]+[^\s,])/i,
    example: post(GET_LINE, 'Connection: " close\r\n'),
  },
  {
    name: 'Connection: close with a tab after it',
    wirebin: 'refuses',
    readers: { llhttp: 'accepts' },
    section: 'RFC 9112 9.6',
    why: 'Nothing after it is read. llhttp does not recognize the option.',
    input: /Connection:[^\r\n]*close\t/i,
    example: post(GET_LINE, 'Connection: close\t\r\n'),
    untilLlhttp: '9.4',
  },
  {
    name: 'HTTP/1.0 with a tab after keep-alive',
    wirebin: 'accepts',
    readers: { llhttp: 'refuses', h11: 'refuses' },
    section: 'RFC 9112 5',
    why: 'White space around a value is SP or HTAB. llhttp does not recognize the option.',
    input: /Connection:[^\r\n]*keep-alive\t/i,
    example: post('POST /anything HTTP/1.0', `Connection: keep-alive\t\r\n${LENGTH}`, 'hello'),
    untilLlhttp: '9.4',
  },
  {
    name: 'Proxy-Connection: close',
    wirebin: 'accepts',
    readers: { llhttp: 'refuses' },
    section: 'RFC 9112 9.3',
    why: 'Only Connection has connection options. llhttp treats both alike.',
    input: /Proxy-Connection:/i,
    example: post(GET_LINE, 'Proxy-Connection: close\r\n'),
  },
];

/**
 * How other readers of HTTP/1.x differ from wirebin. The example of each row is a test, and a difference that no row
 * explains fails the differential run.
 */
export const differences: readonly Difference[] = [
  ...startLines,
  ...targets,
  ...hosts,
  ...fields,
  ...framing,
  ...chunks,
  ...persistence,
];
