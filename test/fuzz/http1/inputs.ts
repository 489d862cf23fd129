import * as fc from 'fast-check';
import { GET, LAST } from '../../_raw.ts';
import { piecesOf, place } from '../mutations.ts';
import { put, REPLACEMENTS, STRAY } from './changes.ts';

// Requests of HTTP/1.x, valid and with the known ways of smuggling in them. Text is latin1.

/** The bytes of one connection, as they are cut. */
export interface Input {
  readonly text: string;
  readonly pieces: readonly Buffer[];
}

/** The last request of each input. */
export const END = GET('/anything/end', LAST);

/** An input of these bytes and the last request. @param cuts parts of the whole */
export function inputOf(bytes: string, cuts: readonly number[] = []): Input {
  const text = bytes + END;
  return { text, pieces: piecesOf(Buffer.from(text, 'latin1'), cuts) };
}

const method = fc.constantFrom('POST', 'GET', 'PUT', 'DELETE', 'PATCH', 'POST', 'PURGE', 'HEAD');
const target = fc.constantFrom(
  '/anything',
  '/anything/a%20b?x=1&y=%C3%A9',
  '/anything/%7Ex?',
  '/anything//..;/x?|"<>{}[]^`\\',
  'http://y.example/anything?absolute',
  'HTTP://Y:81/anything',
);
const name = fc.constantFrom('X-A', 'x-b', "!#$%&'*+-.^_`|~9", 'Accept', 'Cookie', 'X_C');
const value = fc.oneof(
  fc.constantFrom('', 'a', 'a, b', '"quoted, \\" text"', 'caf\xe9', 'a\tb', 'a:b', '\x80\xff', ','),
  fc.nat(60).map((length) => 'v'.repeat(length)),
);
const ows = fc.constantFrom(' ', '', '\t', ' \t ');
const field = fc
  .tuple(name, ows, value, fc.constantFrom('', ' ', '\t'))
  .map(([word, before, text, after]) => `${word}:${before}${text}${after}\r\n`);
const fields = fc.array(field, { maxLength: 3 }).map((lines) => lines.join(''));

/** Content like messages and parts of them, and below, content of which no change leaves something like a request. */
const data = fc.oneof(
  fc.constantFrom('a', '0', '\r\n', '\0\xff', '0\r\n\r\n', 'GET /in HTTP/1.1\r\nHost: y\r\n\r\n'),
  fc.nat(300).map((length) => 'z'.repeat(length + 1)),
);
const plainData = fc.nat(40).map((length) => `${'z'.repeat(length)})`);

const extension = fc.constantFrom('', '', ';a', ';a=b', ';a="b;c"', ';a=b;c="\\""', ';a=""');
const zeros = fc.constantFrom('', '', '0', '0000000');
const trailers = fc.constantFrom('', '', 'X-T: 1\r\n', 'X-T: 1\r\nx-u:\r\n', 'Host: t\r\n');
const coding = fc.constantFrom('chunked', 'chunked', 'Chunked', 'CHUNKED', '\tchunked ');
const options = fc.constantFrom(
  '',
  '',
  '',
  'Connection: keep-alive\r\n',
  'Connection: a, b\r\n',
  LAST,
);

/** The end of the header section, and chunked content. */
function chunked(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const chunk = fc
    .tuple(text, extension, zeros, fc.boolean())
    .map(([content, after, before, isUpper]) => {
      const size = content.length.toString(16);
      return `${before}${isUpper ? size.toUpperCase() : size}${after}\r\n${content}\r\n`;
    });
  return fc
    .tuple(
      coding,
      fc.array(chunk, { maxLength: 3 }),
      fc.constantFrom('0', '000', '0;x=y'),
      trailers,
    )
    .map(([codings, chunks, last, lines]) => {
      return `Transfer-Encoding: ${codings}\r\n\r\n${chunks.join('')}${last}\r\n${lines}\r\n`;
    });
}

/** One to three valid requests. @param text their content */
function requests(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const ofLength = fc
    .tuple(text, zeros)
    .map(([content, before]) => `Content-Length: ${before}${content.length}\r\n\r\n${content}`);
  const rest = fc.oneof(fc.constant('\r\n'), ofLength, { weight: 2, arbitrary: chunked(text) });
  const request = fc
    .tuple(fc.constantFrom('', '', '', '\r\n'), method, target, fields, options, rest)
    .map(([empty, verb, path, lines, option, content]) => {
      return `${empty}${verb} ${path} HTTP/1.1\r\nHost: x\r\n${lines}${option}${content}`;
    });
  // HTTP/1.0 has no chunked coding.
  const old = fc
    .tuple(target, fields, fc.constantFrom('', 'Connection: keep-alive\r\n'), ofLength)
    .map(([path, lines, option, content]) => {
      return `POST ${path} HTTP/1.0\r\nHost: x\r\n${lines}${option}${content}`;
    });
  return fc
    .array(fc.oneof({ weight: 12, arbitrary: request }, old), { minLength: 1, maxLength: 3 })
    .map((list) => list.join(''));
}

type Change = (text: string) => string;

const replaced: fc.Arbitrary<Change> = fc
  .constantFrom(...REPLACEMENTS)
  .chain(([pattern, replacements]) =>
    fc.tuple(fc.constant(pattern), fc.constantFrom(...replacements), place),
  )
  .map(([pattern, replacement, at]) => (text) => {
    const found = [...text.matchAll(pattern)];
    const match = found[Math.floor(at * found.length)];
    if (!match) return text;
    const end = match.index + match[0].length;
    return text.slice(0, match.index) + put(replacement, match) + text.slice(end);
  });
const stray: fc.Arbitrary<Change> = fc
  .tuple(fc.constantFrom(...STRAY), place, fc.boolean())
  .map(([byte, part, replaces]) => (text) => {
    const at = Math.floor(part * text.length);
    return text.slice(0, at) + byte + text.slice(at + (replaces ? byte.length : 0));
  });
const changed = fc
  .tuple(
    requests(plainData),
    fc.oneof(
      { weight: 4, arbitrary: fc.array(replaced, { minLength: 1, maxLength: 1 }) },
      fc.array(stray, { minLength: 1, maxLength: 1 }),
      fc.array(fc.oneof(replaced, stray), { minLength: 2, maxLength: 2 }),
    ),
  )
  .map(([text, list]) => list.reduce((bytes, change) => change(bytes), text));

const manyPlaces = fc.array(place, { maxLength: 60, size: 'max' });

/** Valid requests, most of them with a change or two, in pieces. */
export const inputs: fc.Arbitrary<Input> = fc
  .tuple(
    fc.oneof(requests(data), { weight: 4, arbitrary: changed }),
    fc.oneof({ weight: 3, arbitrary: fc.array(place, { maxLength: 3 }) }, manyPlaces),
  )
  .map(([text, cuts]) => inputOf(text, cuts));
