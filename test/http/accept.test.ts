import { expect, test } from 'vitest';
import { negotiateMediaType } from '../../src/http/accept.ts';
import { cpuOf } from '../_cpu.ts';

const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json';
const PLAIN = 'text/plain; version=0.0.4; charset=utf-8';
const OPEN = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

test.each<[accept: string | undefined, chosen: string | undefined]>([
  [undefined, HTML],
  ['', HTML],
  ['*/*', HTML],
  ['application/json', JSON_TYPE],
  ['APPLICATION/JSON', JSON_TYPE],
  ['application/*', JSON_TYPE],
  ['text/*', HTML],
  ['text/html, application/json', HTML],
  ['text/html;q=0.5, application/json', JSON_TYPE],
  ['text/html;q=0.501, application/json;q=0.5', HTML],
  ['*/*;q=0.1, application/json;q=0.2', JSON_TYPE],
  // The most specific range wins, not the one with the highest weight.
  ['*/*, text/html;q=0', JSON_TYPE],
  ['text/*;q=0.9, text/html;q=0.1, application/json;q=0.5', JSON_TYPE],
  ['text/html;charset=utf-8;q=0.1, text/html, application/json;q=0.5', JSON_TYPE],
  ['text/html;charset="UTF-8"', HTML],
  ['text/html;charset=latin1', undefined],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', HTML],
  ['image/png', undefined],
  ['application/json;q=0', undefined],
  ['application/json;q=0.000', undefined],
  // Whitespace and empty members are allowed (RFC 9110 5.6.1).
  [' , application/json ; q=0.5 , ', JSON_TYPE],
  ['application/json ; Q=1.000 ; ', JSON_TYPE],
  // A comma in a quoted string is not a separator.
  ['image/png;title="a,text/html", application/json', JSON_TYPE],
  ['image/png;title="a\\",text/html", application/json', JSON_TYPE],
  // Malformed media ranges are ignored.
  ['json', undefined],
  ['*/json', undefined],
  ['application/json;q=2, text/html;q=0.1', HTML],
  ['application/json;q=0.1234, text/html;q=0.1', HTML],
  ['application/json;q, text/html;q=0.1', HTML],
])('RFC 9110 12.5.1: of HTML and JSON, Accept: %s chooses %s', (accept, chosen) => {
  expect(negotiateMediaType(accept, [HTML, JSON_TYPE])).toBe(chosen);
});

const offers = [JSON_TYPE, PLAIN, OPEN];
test.each([
  [
    'Prometheus 2',
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
    OPEN,
  ],
  // No offer has the escaping parameter, so its ranges match none.
  [
    'Prometheus 3',
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1',
    PLAIN,
  ],
  ['plain text of any version', 'text/plain', PLAIN],
  ['another version of it', 'text/plain; version=1.0.0', undefined],
  ['a browser', 'text/html,*/*;q=0.8', JSON_TYPE],
])('the Accept field of %s', (_, accept, chosen) => {
  expect(negotiateMediaType(accept, offers)).toBe(chosen);
});

test('a long field is parsed in linear time', () => {
  const cpu = cpuOf(() => {
    expect(negotiateMediaType('a"\\'.repeat(20_000), [HTML])).toBeUndefined();
    expect(negotiateMediaType('a/b;'.repeat(20_000), [HTML])).toBeUndefined();
    expect(negotiateMediaType('"'.repeat(20_001), [HTML])).toBeUndefined();
  });
  expect(cpu).toBeLessThan(500);
});

test('at most 100 members are parsed', () => {
  const others = 'text/x,'.repeat(99);
  expect(negotiateMediaType(`${others}text/html`, [HTML])).toBe(HTML);
  expect(negotiateMediaType(`${others}text/x,text/html`, [HTML])).toBeUndefined();
});
