import { expect, test } from 'vitest';
import { checks } from '../../src/check/catalogue/all.ts';
import type { Transfer } from '../../src/check/message.ts';
import { resultOf } from '../../src/check/result.ts';
import { fail } from '../../src/check/verdict.ts';

test('the evidence says what fields of the response mean', () => {
  const [check] = checks;
  if (!check) throw new Error('there are no checks');
  const fields = [
    ['Server', 'a'],
    ['Proxy-Status', 'cdn; error=connection_refused'],
  ] as const;
  const transfer: Transfer = {
    sent: '',
    received: '',
    response: { status: 502, fields, content: Buffer.alloc(0), trailers: [] },
    interim: [],
    ending: 'complete',
    duration: 0,
    firstByte: 0,
    isReusable: true,
  };
  const verdict = fail('200', '502', transfer, { ...transfer, response: undefined });
  const { evidence } = resultOf({ check, front: 'h2' }, verdict);
  expect(evidence.map(({ meaning }) => meaning)).toEqual([
    ['Proxy-Status: The intermediary "cdn": the next hop refused the connection.'],
    [],
  ]);
});

test('of what a target sends, a result has a part', () => {
  const [check] = checks;
  if (!check) throw new Error('there are no checks');
  const long = 'x'.repeat(1_000_000);
  const fields = Array.from({ length: 100_000 }, () => ['a', 'b'] as const);
  const transfer: Transfer = {
    sent: long,
    received: long,
    response: { status: 200, fields, content: Buffer.alloc(0), trailers: [] },
    interim: [],
    ending: 'complete',
    duration: 0,
    firstByte: 0,
    isReusable: false,
  };
  const result = resultOf(
    { check, front: 'h2' },
    { outcome: 'fail', expected: long, found: long, evidence: [transfer] },
  );
  expect(JSON.stringify(result).length).toBeLessThan(50_000);
  expect(result.found).toMatch(/^x{4096}… \(995904 bytes more\)$/);
  expect(result.evidence[0]?.fields).toHaveLength(1365);
});
