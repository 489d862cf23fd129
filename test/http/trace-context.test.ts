import { describe, expect, test } from 'vitest';
import { readTraceContext } from '../../src/http/trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const VALID = `00-${TRACE}-${PARENT}-01`;

function readState(...lines: string[]): readonly string[] | undefined {
  const state = lines.flatMap((line) => ['Tracestate', line]);
  const context = readTraceContext(['Traceparent', VALID, ...state]);
  expect(context).toBeTypeOf('object');
  return typeof context === 'object' ? context.state : undefined;
}

describe('traceparent', () => {
  test('none', () => {
    expect(readTraceContext(['Host', 'a', 'tracestate', 'a=1'])).toBeUndefined();
  });

  test.each([
    [VALID, '01'],
    [`00-${TRACE}-${PARENT}-00`, '00'],
    [`00-${TRACE}-${PARENT}-ff`, 'ff'],
    [`cc-${TRACE}-${PARENT}-01`, '01'],
    [`cc-${TRACE}-${PARENT}-01-`, '01'],
    [`cc-${TRACE}-${PARENT}-01-what-the-future-will-be-like`, '01'],
  ])('%s', (value, flags) => {
    expect(readTraceContext(['TraceParent', value])).toEqual({
      traceId: TRACE,
      parentId: PARENT,
      flags,
      state: undefined,
    });
  });

  test.each([
    ['', 'it is not'],
    ['00', 'it is not'],
    [VALID.toUpperCase(), 'it is not'],
    [` ${VALID}`, 'it is not'],
    [`0-${TRACE}-${PARENT}-01`, 'it is not'],
    [`00-${TRACE.slice(1)}-${PARENT}-01`, 'it is not'],
    [`00-${TRACE}0-${PARENT}-01`, 'it is not'],
    [`00-${TRACE}-${PARENT.slice(1)}-01`, 'it is not'],
    [`00-${TRACE}-${PARENT}-1`, 'it is not'],
    [`00-${TRACE}-${PARENT}-0g`, 'it is not'],
    [`00_${TRACE}_${PARENT}_01`, 'it is not'],
    [`cc-${TRACE}-${PARENT}-01.`, 'it is not'],
    [`ff-${TRACE}-${PARENT}-01`, 'the version ff'],
    [`${VALID}-`, 'version 00 has nothing'],
    [`${VALID}-00`, 'version 00 has nothing'],
    [`00-${'0'.repeat(32)}-${PARENT}-01`, 'the trace_id is zero'],
    [`00-${TRACE}-${'0'.repeat(16)}-01`, 'the parent_id is zero'],
  ])('%j is ignored: %s', (value, reason) => {
    expect(readTraceContext(['traceparent', value])).toContain(reason);
  });

  test('several are ignored, even if they are the same', () => {
    expect(readTraceContext(['traceparent', VALID, 'traceparent', VALID])).toContain('several');
  });
});

describe('tracestate', () => {
  test.each<[lines: string[], members: string[]]>([
    [['foo=1'], ['foo=1']],
    [['foo=1,bar=2'], ['foo=1', 'bar=2']],
    [
      ['foo=1', 'bar=2'],
      ['foo=1', 'bar=2'],
    ],
    [['foo=1 , \tbar=2'], ['foo=1', 'bar=2']],
    [
      ['foo=1,', ',bar=2', ''],
      ['foo=1', 'bar=2'],
    ],
    [['t61rcwkgmze@vendor=a'], ['t61rcwkgmze@vendor=a']],
    [['0tenant@vendor=a'], ['0tenant@vendor=a']],
    [['a-_*/0=\t !"~'.replace('\t', '')], ['a-_*/0= !"~']],
    [[`${'z'.repeat(256)}=1`], [`${'z'.repeat(256)}=1`]],
    [[`z=${'1'.repeat(256)}`], [`z=${'1'.repeat(256)}`]],
  ])('%j', (lines, members) => {
    expect(readState(...lines)).toEqual(members);
  });

  test('32 members, and no more', () => {
    const members = Array.from({ length: 33 }, (_, at) => `k${at}=${at}`);
    expect(readState(members.slice(0, 32).join())).toHaveLength(32);
    expect(readState(members.join())).toBeUndefined();
  });

  test.each([
    '',
    ' , ',
    'foo',
    'foo=',
    '=1',
    'foo=1,foo=2',
    'foo =1',
    'FOO=1',
    'foo.bar=1',
    '0foo=1',
    'foo@=1',
    '@foo=1',
    'foo@@bar=1',
    'foo@0bar=1',
    'foo=a=b',
    'foo=ä',
    'foo=a\u0007',
    `${'z'.repeat(257)}=1`,
    `${'t'.repeat(242)}@v=1`,
    `t@${'v'.repeat(15)}=1`,
    `z=${'1'.repeat(257)}`,
    'foo=1,bar',
  ])('%j is ignored, and traceparent is not', (value) => {
    expect(readState(value)).toBeUndefined();
  });
});

test('a long run of spaces takes no time', () => {
  const before = process.cpuUsage();
  expect(readState(`a${' '.repeat(64_000)}b`)).toBeUndefined();
  expect(process.cpuUsage(before).user).toBeLessThan(150_000);
});
