import { chunked, closed, conforms, usable, type Case } from './_cases.ts';

const END = '0\r\n\r\n';
const HELLO = 'hello\r\n';
const OF = (content: string): string => chunked(`${content}${END}`);
const TRAILERS = (fields: string): string => chunked(`5\r\n${HELLO}0\r\n${fields}\r\n`);

const good = (clause: string, name: string, bytes: string): Case =>
  usable(`RFC 9112 ${clause}: ${name}`, bytes);
const bad = (clause: string, name: string, bytes: string, status = 400): Case =>
  closed(`RFC 9112 ${clause}: ${name}`, bytes, status);

conforms([
  good('7.1', 'a chunk', OF(`5\r\n${HELLO}`)),
  good('7.1', 'a size in upper case', OF('A\r\n0123456789\r\n')),
  good('7.1', 'leading zeros', OF(`0000000000000000000005\r\n${HELLO}`)),
  good('7.1', 'no chunk but the last', OF('')),
  good('7.1', 'a last chunk of many zeros', chunked(`5\r\n${HELLO}0000\r\n\r\n`)),
  ...['0x5', ' 5', '5 ', '5\t', '+5', '-5', '', 'zz', '5.0', '5_', 'fffffffffffffffff'].map(
    (size) => bad('7.1', `the size ${JSON.stringify(size)}`, OF(`${size}\r\n${HELLO}`)),
  ),
  bad('7.1', 'a chunk shorter than its size', OF('5\r\nhell\r\n')),
  bad('7.1', 'a chunk longer than its size', OF('2\r\nabc\r\n')),
  bad('7.1', 'no line end after a chunk', chunked('5\r\nhello0\r\n\r\n')),
  bad('7.1', 'bare LF after a size', OF(`5\n${HELLO}`)),
  bad('7.1', 'bare CR after a size', OF(`5\r${HELLO}`)),
  bad('7.1', 'bare LF after a chunk', OF('5\r\nhello\n')),
  bad('7.1', 'bare CR after a chunk', OF('5\r\nhello\r')),
  bad('7.1', 'bare LF after the last size', chunked('0\n\r\n')),
  bad('7.1', 'bare LF as the last line', chunked('0\r\n\n')),
  bad('7.1', 'bare CR as the last line', chunked('0\r\n\r')),

  good('7.1.1', 'an extension', OF(`5;a=b\r\n${HELLO}`)),
  good('7.1.1', 'an extension without a value', OF(`5;a\r\n${HELLO}`)),
  good(
    '7.1.1',
    'a quoted value, and one of the last chunk',
    chunked(`5;a="b;c"\r\n${HELLO}0;x\r\n\r\n`),
  ),
  ...['5 ;a=b', '5\t;a=b', '5; a=b', '5;a =b', '5;a= b', '5;a ;b'].map((line) =>
    good(
      '7.1.1',
      `bad white space (RFC 9110 5.6.3) in ${JSON.stringify(line)}`,
      OF(`${line}\r\n${HELLO}`),
    ),
  ),
  bad('7.1.1', 'a space after an extension', OF(`5;a=b \r\n${HELLO}`)),
  bad('7.1.1', 'an extension without a name', OF(`5;\r\n${HELLO}`)),
  bad('7.1.1', 'bare LF in an extension', OF(`5;a\n${HELLO}`)),
  bad('7.1.1', 'bare CR in an extension', OF(`5;a\rb\r\n${HELLO}`)),
  bad('7.1.1', 'a line end in a quoted value', OF(`5;a="\r\n"\r\n${HELLO}`)),
  bad('7.1.1', 'bare LF in a quoted value', OF(`5;a="\n"\r\n${HELLO}`)),
  bad('7.1.1', 'NUL in an extension', OF(`5;\0\r\n${HELLO}`)),
  bad('7.1.1', 'extensions of 32 KiB', OF(`5;${'a'.repeat(32_768)}\r\n${HELLO}`), 413),

  good('7.1.2', 'a trailer field', TRAILERS('X: y\r\n')),
  good('7.1.2', 'Host as a trailer field changes nothing', TRAILERS('Host: a b\r\n')),
  ...['Upgrade: h2c', 'Connection: Upgrade\r\nUpgrade: h2c', 'Connection: keep-alive'].map(
    (field) =>
      good(
        '7.1.2',
        `${JSON.stringify(field)} as a trailer field changes nothing`,
        TRAILERS(`${field}\r\n`),
      ),
  ),
  ...['Keep-Alive: timeout=1', 'TE: trailers', 'Expect: 100-continue', 'Trailer: X'].map((field) =>
    good('7.1.2', `${field} as a trailer field changes nothing`, TRAILERS(`${field}\r\n`)),
  ),
  ...['Connection: close', 'connection: x , CLOSE', 'Proxy-Connection: close'].map((field) =>
    good('7.1.2', `${field} as a trailer field changes nothing`, TRAILERS(`${field}\r\n`)),
  ),
  bad('7.1.2', 'Content-Length as a trailer field', TRAILERS('Content-Length: 5\r\n')),
  bad('7.1.2', 'Transfer-Encoding as a trailer field', TRAILERS('Transfer-Encoding: chunked\r\n')),
  bad('7.1.2', 'bare LF after a trailer field', TRAILERS('X: y\n')),
  bad('7.1.2', 'bare LF after the trailer section', TRAILERS('X: y\r\n').replace(/\r\n$/, '\n')),
  bad('7.1.2', 'bare CR in a trailer field', TRAILERS('X: y\rz\r\n')),
  bad('7.1.2', 'bare CR before a line end', TRAILERS('X: y\r\r\n')),
  bad('7.1.2', 'obs-fold in a trailer field', TRAILERS('X: y\r\n z\r\n')),
  bad('7.1.2', 'a space before the colon', TRAILERS('X : y\r\n')),
  bad('7.1.2', 'no colon', TRAILERS('X\r\n')),
  bad('7.1.2', 'no name', TRAILERS(': y\r\n')),
  bad('7.1.2', 'NUL in a trailer field', TRAILERS('X: \0\r\n')),
  bad('7.1.2', 'a trailer section too large', TRAILERS(`X: ${'a'.repeat(70_000)}\r\n`), 431),
]);
