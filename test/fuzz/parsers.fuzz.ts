import { test } from 'vitest';
import { INPUTS, SEED } from './form.ts';
import { httpParsers } from './parsers-http.ts';
import { connectionParsers } from './parsers-connection.ts';
import { quicParsers } from './parsers-quic.ts';
import { wireParsers } from './parsers-wire.ts';

const parsers = [...wireParsers, ...quicParsers, ...httpParsers, ...connectionParsers];
const share = Math.ceil(INPUTS / parsers.length);

test.each(parsers)(`$name: ${share} inputs`, (parser) => parser.assert(share, SEED));
