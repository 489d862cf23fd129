// What stands in a request, and what a smuggler puts in its place. Text is latin1.

/** `$&` is what was matched, `$1` its group. */
export type Replacement = readonly [found: RegExp, texts: readonly string[]];

/** The text that stands in place of a match. */
export function put(text: string, [whole, group = '']: readonly string[]): string {
  return text.replaceAll('$&', () => whole ?? '').replaceAll('$1', () => group);
}

const between = (...lists: readonly string[]): string[] => lists.flatMap((list) => list.split('¦'));

const LINE_END: Replacement = [
  /\r\n/g,
  between('\n¦\r¦\r\r\n¦\n\r¦ \r\n¦\t\r\n¦\0\r\n¦\r\n ¦\r\n\t¦\r\n\r\n¦'),
];
const EMPTY_LINE: Replacement = [
  /\r\n\r\n/g,
  between('\n\n¦\r\n\n¦\n\r\n¦\r\r¦\r\n \r\n¦\r\n\r\r\n¦\r\n\x0b\r\n'),
];
const COLON: Replacement = [
  /: ?/g,
  between(':¦ : ¦\t: ¦:\t¦:\0¦: \x0b¦::¦ ¦¦:\r\n ¦:\n\t¦\0: ¦\r: '),
];
export const LENGTH: Replacement = [
  /Content-Length: (\d+)/gi,
  between(
    '+$1¦-$1¦00000000000000000000$1¦$1, $1¦$1,$1¦$1, 1¦, $1¦0x$1¦$1;¦$1.0¦¦"$1"¦$1 $1',
    '1844674407370955161$1¦$1\x0b¦$1_0¦1e1¦-0¦ $1\t',
  ).map((length) => `Content-Length: ${length}`),
];
export const LENGTH_LINE: Replacement = [
  /Content-Length: (\d+)/gi,
  between(
    '$&\r\n$&¦$&\r\nContent-Length: 1¦Content-Length: 1\r\n$&¦$&\r\nTransfer-Encoding: chunked',
    'Transfer-Encoding: chunked\r\n$&¦$&\r\nTransfer-Encoding: identity¦Content_Length: $1',
    'Content-Length\xa0: $1¦\x0bContent-Length: $1¦content-length:$1¦X: y\rContent-Length: $1',
  ),
];
export const CODING: Replacement = [
  /Transfer-Encoding: chunked/gi,
  between(
    'gzip, chunked¦chunked, gzip¦chunked, chunked¦chunked,¦, chunked¦xchunked¦chunkedx¦"chunked"',
    'chunked;q=1¦\x0bchunked¦\x0cchunked¦identity¦¦cow¦chunked\tx¦chunk\xedd¦chunked\0',
    'identity, chunked¦chunked\t, chunked¦chunked\x0b',
  ).map((coding) => `Transfer-Encoding: ${coding}`),
];
export const CODING_LINE: Replacement = [
  /Transfer-Encoding: chunked/gi,
  between(
    '$&\r\n$&¦$&\r\nTransfer-Encoding: identity¦Transfer-Encoding: gzip\r\n$&¦$&\r\nContent-Length: 0',
    '$&\r\nContent-Length: 5¦Content-Length: 3\r\n$&¦Transfer_Encoding: chunked',
    'Transfer-Encoding\xff: chunked¦Transfer-Encoding:\r\n chunked¦ Transfer-Encoding: chunked',
    'X: y\nTransfer-Encoding: chunked',
  ),
];
const VERSION: Replacement = [
  / HTTP\/1\.1/g,
  between(
    '¦ ¦ HTTP/1.0¦ HTTP/1.2¦ HTTP/1.9¦ HTTP/2.0¦ HTTP/0.9¦ HTTP/1.10¦ HTTP/1¦ HTTP/01.1¦ HTTP/+1.1',
    ' http/1.1¦ HTTP/1.1 ¦ HTTP/1.1x¦  HTTP/1.1¦\tHTTP/1.1¦ HTTP/1,1¦ HTTPS/1.1¦ ICE/1.1¦ RTSP/1.1',
    ' HTTP /1.1¦\x0bHTTP/1.1',
  ),
];
const METHOD: Replacement = [
  /\b(?:POST|GET|PUT|DELETE|PATCH|HEAD) /g,
  between(
    'BREW ¦get ¦GETTER ¦GE¦M-SEARCH ¦SOURCE ¦DESCRIBE ¦CONNECT ¦PRI ¦~1! ¦G(T ¦G\0T ¦¦ ¦ GET ',
    '\tGET ¦GET  ¦GET\t¦G\xc9T ¦GET\r\n ¦"GET" ¦QUERY ',
  ),
];
const TARGET: Replacement = [
  / (?:\/|http:\/\/y\.example\/)anything/gi,
  between(
    ' *¦ anything¦ ¦¦ /any thing¦ /anything\x7f¦ /anything\xe9¦ /anything\0¦ http://u@y/anything',
    ' ftp://y/anything¦ http:///anything¦ http:/anything¦ //anything¦ /anything#a¦ y:80¦ ?anything',
    ' http://y¦ /anything\x0b¦ /anything\tb¦ \xa0/anything¦ /anything/%zz',
  ),
];
const HOST: Replacement = [
  /Host: x/g,
  between(
    'X: y¦Host:¦Host: a b¦Host: a, b¦Host: a/b¦Host: u@b¦Host: a:8x¦Host: [::1]:80¦$&\r\n$&',
    '$&\r\nHost: y¦ $&¦\t$&¦Host: a:¦Host: %41¦host:\tx¦Host: \xe9¦Host: [::1',
  ),
];
export const CHUNK_LINE: Replacement = [
  /(?<=\n)([0-9a-f]+)(?=[;\r])/gi,
  between(
    '0x$1¦ $1¦$1 ¦$1\t¦+$1¦-$1¦¦g¦$1;¦$1 ;a¦$1; a=b¦$1;a =b¦$1;a= b¦$1;a="b¦$1;a="\n"¦$1;a=\x01',
    '$1;a\n¦$1;a\r¦$1\n¦$1\r¦1000000000000000$1¦$1;a=b ¦$1;"a"=b¦$1;a="\xe9"¦$1;a=\xe9¦$1;=b¦$1;a=',
    '$1;;a¦$1\x0b¦$1_¦$1.0¦$1,$1¦$1;a="\\\r\n"¦$1;a\0¦$1;a b¦$1;a="b"c¦$1:a¦00000000000000000000000$1',
  ),
];
const TRAILER: Replacement = [
  /X-T: 1/g,
  between(
    'Content-Length: 5¦Transfer-Encoding: chunked¦Connection: close¦X-T¦: 1¦X-T : 1¦X-T: \0',
    'X-T: 1\r\n 2¦X-T: 1\ry¦X-T: 1\n¦ X-T: 1¦Trailer: X¦X-T: \x01¦X\xe9: 1',
  ),
];
const OPTION: Replacement = [
  /Connection: (?:keep-alive|close|a, b)/g,
  between(
    'CONNECTION: CLOSE¦Connection: close, keep-alive¦Connection: keep-alive, close',
    'Connection: a,close¦Connection: "close"¦Connection: close;q¦Connection: closed',
    'Connection: a\r\nConnection: close¦Proxy-Connection: close¦Connection: ,¦Connection: close\t,',
  ),
];

export const REPLACEMENTS: readonly Replacement[] = [
  LINE_END,
  EMPTY_LINE,
  COLON,
  LENGTH,
  LENGTH_LINE,
  CODING,
  CODING_LINE,
  VERSION,
  METHOD,
  TARGET,
  HOST,
  CHUNK_LINE,
  TRAILER,
  OPTION,
];

/** Bytes that mean something, or are not allowed, wherever they are put. */
export const STRAY = between('\r¦\n¦\0¦ ¦\t¦:¦;¦,¦\x0b¦\x7f¦\xa0¦\xff¦0¦\r\n¦a¦"');
