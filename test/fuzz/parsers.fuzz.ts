import { test } from 'vitest';
import { INPUTS, SEED } from './form.ts';
import { httpParsers } from './parsers-http.ts';
import { inspectParsers } from './parsers-inspect-http1.ts';
import { wireParsers } from './parsers-wire.ts';

const parsers = [...wireParsers, ...httpParsers, ...inspectParsers];
const share = Math.ceil(INPUTS / parsers.length);

test.each(parsers)(`$name: ${share} inputs`, (parser) => parser.assert(share, SEED));
