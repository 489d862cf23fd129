import { post, LINE, GET_LINE, LENGTH, host, type Difference } from './http1/difference.ts';
import { chunks, framing } from './http1/framing-differences.ts';

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
