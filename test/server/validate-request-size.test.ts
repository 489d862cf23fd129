import { expect, test } from 'vitest';
import { validateRequestSize } from '../../src/server/validate-request.ts';
import { overBothProtocols } from '../_everywhere.ts';
import { FakeExchange } from '../_exchange.ts';

const limits = { maxTargetSize: 10, maxHeaderSize: 20, maxFields: 3 };
const lines = (count: number): string[] => Array.from({ length: 2 * count }, () => 'a');

test.each<[target: string, version: string, fields: string[], code: string | undefined]>([
  ['/23456789', 'HTTP/1.1', lines(3), undefined],
  ['/234567890', 'HTTP/1.1', lines(3), undefined],
  ['/2345678901', 'HTTP/1.1', lines(3), 'target-too-long'],
  ['/2345678901', 'HTTP/2.0', lines(4), 'target-too-long'],
  ['/', 'HTTP/1.1', lines(4), 'fields-too-large'],
  ['/', 'HTTP/2.0', lines(4), 'fields-too-large'],
  ['/', 'HTTP/2.0', ['x', 'y'.repeat(19)], undefined],
  ['/', 'HTTP/2.0', ['x', 'y'.repeat(20)], 'fields-too-large'],
  // Node enforces this limit itself.
  ['/', 'HTTP/1.1', ['x', 'y'.repeat(20)], undefined],
])('%s over %s with %j is %s', (target, version, fields, code) => {
  const exchange = new FakeExchange(target, { version, fields });
  expect(validateRequestSize(exchange, limits)?.code).toBe(code);
});

overBothProtocols(
  ({ client }) => {
    test.each([
      ['a target of 65 bytes', `/anything/${'a'.repeat(55)}`, {}, 414, '65 bytes'],
      ['one of 1,200', `/anything/${'a'.repeat(1190)}`, {}, 414, ''],
      ['a field of 1,200', '/ip', { x: 'a'.repeat(1200) }, 431, ''],
      ['twenty fields', '/ip', fieldsOf(20), 431, 'exceeds the maximum of 15'],
    ] as const)('%s', async (_, target, headers, expected, detail) => {
      const { status, body } = await client().request(target, { headers });
      expect(status).toBe(expected);
      expect(body.toString()).toContain(detail);
      expect((await client().request('/ip')).status).toBe(200);
    });
  },
  '--max-target-size=64',
  '--max-header-size=1024',
  '--max-fields=15',
);

function fieldsOf(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, 'a']));
}
