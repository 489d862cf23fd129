import { ResponseMeter } from '../../src/bench/load/response-meter.ts';
import { ResponseRecorder } from '../../src/check/client/response-recorder.ts';
import { Http1Reader } from '../../src/inspect/http1/http1-reader.ts';
import { parseSection } from '../../src/wire/http1/section.ts';
import { parseFieldLines, Violation } from '../../src/wire/http1/field-lines.ts';
import { checkRequestStart, parseRequest } from '../../src/wire/http1/request-head.ts';
import { parseRequestHead, parseResponseHead } from '../../src/wire/http1/start-line.ts';
import { ja4h } from '../../src/inspect/ja4h.ts';
import { TlsReader } from '../../src/inspect/tls/tls-reader.ts';
import { parseSessionTicket, resumptionOffer } from '../../src/inspect/tls/hello.ts';
import { parseClientHelloBody } from '../../src/wire/tls/client-hello.ts';
import { parseServerHello } from '../../src/wire/tls/server-hello.ts';
import { parseServerKeyExchange } from '../../src/wire/tls/server-key-exchange.ts';
import { captured, captures } from '../wire/tls/_hellos.ts';
import { clientOf } from '../inspect/http1/_messages.ts';
import { inputsLike, textsLike } from './mutations.ts';
import { expects, parser, type Parser } from './parser.ts';

const LIMITS = {
  section: 40_000,
  keptSection: 1000,
  chunks: 10,
  messages: 10,
  rest: 1000,
  bytes: 20_000,
};
/** What one reader may hold, with a section that is being read. */
const MOST_KEPT = LIMITS.bytes + LIMITS.section + LIMITS.rest + 2 * LIMITS.keptSection;

const MESSAGES = [
  'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
  'POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello',
  'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n',
  'GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
];
const MARKS = [
  '\r\n',
  '\n',
  '\r',
  '\n\n',
  '\r\n\r\n',
  ' ',
  '\t',
  ':',
  ',',
  '1\r\na\r\n',
  '0\r\n',
  'Content-Length: 1\r\n',
  '\r\nTransfer-Encoding:',
  'chunked',
  'Upgrade: ',
];
const heads = textsLike(MESSAGES, MARKS);

const SERVER_HELLO = `\x03\x03${'r'.repeat(32)}\x00\x13\x01\x00\x00\x06\x00\x2b\x00\x02\x03\x04`;
const records = inputsLike(
  [
    ...captures.map(captured),
    `\x16\x03\x03\x00\x32\x02\x00\x00\x2e${SERVER_HELLO}\x14\x03\x03\x00\x01\x01`,
    '\x15\x03\x03\x00\x02\x01\x00',
    `\x17\x03\x03\x00\x13${'x'.repeat(19)}`,
  ],
  ['\x16\x03\x01', '\x17\x03\x03\x00\x01x', '\x14\x03\x03\x00\x01\x01', '\xff\xff', '\x00\x00'],
);
const SECRETS = ['CLIENT', 'SERVER'].map(
  (side) => `${side}_TRAFFIC_SECRET_0 00 ${'5a'.repeat(32)}`,
);

export const connectionParsers: readonly Parser[] = [
  parser('Http1Reader', inputsLike(MESSAGES, MARKS), (bytes) => {
    const reader = new Http1Reader(LIMITS);
    clientOf(reader.requestTap)(bytes);
    reader.sent(bytes, 0);
    reader.sentEnd(0);
    for (const { number } of reader.requests) reader.request(number);
    expects(reader.bytesKept < 2 * MOST_KEPT, 'little is kept');
    expects(reader.summary.requests.bytes === bytes.length, 'all is read');
  }),
  parser('ResponseRecorder, ResponseMeter', inputsLike(MESSAGES, MARKS), (bytes) => {
    const kept = new ResponseRecorder('GET');
    const counted = new ResponseMeter();
    for (const reader of [kept, counted]) {
      reader.push(bytes);
      reader.end();
    }
    if (!kept.isComplete || kept.rest.length > 0) return;
    const { status, content } = kept.response ?? {};
    expects(counted.status === status, 'both find the same status');
    expects(counted.length === content?.length, 'and the same content');
  }),
  parser('parseRequestHead, parseResponseHead, parseSection', heads, (text) => {
    const { fields } = parseSection(text, 0, 0);
    for (const { offset, name, value } of fields) {
      expects(text.startsWith(name, offset), 'names are where they are said to be');
      expects(text.includes(value, offset + name.length), 'and values follow them');
    }
    const { line } = parseRequestHead(text);
    for (const part of [line.method, line.target, line.version]) {
      expects(part === undefined || text.includes(part, line.offset), 'and parts');
    }
    parseResponseHead(text);
  }),
  parser('parseRequest, parseFieldLines', heads, (text) => {
    const parsed = parseRequest(text);
    const begun = checkRequestStart(text, 0);
    if (parsed instanceof Violation) {
      expects(parsed.at >= 0 && parsed.at <= text.length, 'a violation is in the text');
      return;
    }
    expects(!(begun instanceof Violation), 'what is valid may begin a request');
    expects(text.includes(`${parsed.method} ${parsed.target} HTTP/1.`), 'the request line is');
    for (const part of parsed.fields) expects(text.includes(part), 'and each name and value');
    expects(/^[\t\x20-\x7e\x80-\xff]*$/.test(parsed.fields.join('')), 'without control characters');
    const again = parseFieldLines(text, text.indexOf('\n', text.indexOf('HTTP/1.')) + 1, []);
    expects(!(again instanceof Violation), 'and its fields are read alone, too');
  }),
  parser('ja4h', heads, (text) => {
    const { fields } = parseRequestHead(text);
    const lines = fields.flatMap(({ name, value }) => [name, value]);
    const parts = ja4h('GET', '1.1', lines).ja4h;
    expects(/^ge11[cn][nr]\d\d.{4}(?:_[\da-f]{12}){3}$/s.test(parts), 'JA4H has four parts');
  }),
  parser('TlsReader, readRecordHeader', records, (bytes) => {
    const reader = new TlsReader(10);
    for (const line of SECRETS) reader.keyLog(line);
    reader.received(bytes, 0);
    reader.sent(bytes, 0);
    const { client, server } = reader.trace;
    expects(client.bytes === bytes.length && server.bytes === bytes.length, 'all is read');
    expects(client.records.length <= 10, 'little is kept');
  }),
  parser('parseServerHello, parseServerKeyExchange, parseSessionTicket', records, (bytes) => {
    for (const body of [bytes, bytes.subarray(9)]) {
      const hello = parseClientHelloBody(body);
      if (hello) resumptionOffer(hello);
      parseServerHello(body);
      parseServerKeyExchange(body, 0x0303);
      parseSessionTicket(body, true);
      parseSessionTicket(body, false);
    }
  }),
];
