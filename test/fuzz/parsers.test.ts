import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { httpParsers } from './parsers-http.ts';
import { connectionParsers } from './parsers-connection.ts';
import { quicParsers } from './parsers-quic.ts';
import { wireParsers } from './parsers-wire.ts';
import { rounds } from '../_whole.ts';

const parsers = [...wireParsers, ...quicParsers, ...httpParsers, ...connectionParsers];

test.each(parsers)('$name: whatever comes', (parser) => parser.assert(rounds(400)));

test('every parser of src is among them', () => {
  const source = new URL('../../src/', import.meta.url);
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
  const declared = files
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /^(?:http|inspect|net|server|wire)\/.*\.ts$/.test(file))
    .map((file) => readFileSync(new URL(file, source), 'utf8'))
    .flatMap((text) => Array.from(text.matchAll(PARSER), ([, name]) => name));
  expect(declared.length).toBeGreaterThan(15);
  const fuzzed = parsers
    .map(({ name }) => name)
    .join(', ')
    .split(', ');
  expect(declared.filter((name) => !fuzzed.includes(name ?? ''))).toEqual([]);
});

// What reads a stream or a file is asynchronous, and no parser.
const PARSER =
  /^export function (parse\w+|read\w+|detectProtocol)\b(?![^)]*\b(?:Socket|Readable)\b)/gm;
