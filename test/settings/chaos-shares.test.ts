import { describe, expect, test } from 'vitest';
import { chaosShares } from '../../src/settings/chaos-shares.ts';
import { readInvocation } from '../../src/cli/command-line.ts';
import { readOptions } from '../../src/settings/read-options.ts';

const setting = chaosShares('');
const read = (text: string) => setting.read(text);
const start = (...args: string[]) => readInvocation(args, {});

test('reads each share', () => {
  expect(read('status=503:5%,delay=200ms:1%, reset:0.5%,delay=2:0%')).toEqual([
    { text: 'status=503', percent: 5, disturbance: { kind: 'status', status: 503 } },
    { text: 'delay=200ms', percent: 1, disturbance: { kind: 'delay', seconds: 0.2 } },
    { text: 'reset', percent: 0.5, disturbance: { kind: 'fault', name: 'reset' } },
    { text: 'delay=2', percent: 0, disturbance: { kind: 'delay', seconds: 2 } },
  ]);
});

test('tenths that add up to 100% are not too much', () => {
  const tenths = Array.from({ length: 1000 }, () => 'reset:0.1%').join(',');
  expect(read(tenths)).toHaveLength(1000);
});

test.each([
  '',
  ',',
  'reset',
  'reset:1',
  'reset:-1%',
  'reset:1%%',
  'reset:1e1%',
  'reset:101%',
  'reset:60%,close:40.1%',
  'reset=1:1%',
  'Reset:1%',
  'explode:1%',
  'status:1%',
  'status=99:1%',
  'status=199:1%',
  'status=600:1%',
  'status=:1%',
  'delay:1%',
  'delay=x:1%',
  'delay=-1s:1%',
  'delay=1:2:1%',
  'toString:1%',
  'raw:1%',
])('%j is no list of shares', (text) => {
  expect(read(text)).toBeUndefined();
});

describe('combinations', () => {
  test.each([
    [['--chaos-paths', '/get'], '--chaos-paths requires --chaos'],
    [['--chaos-seed', '1'], '--chaos-seed requires --chaos'],
    [
      ['--chaos', 'reset:1%', '--chaos-paths', '/nowhere'],
      '--chaos-paths (WIREBIN_CHAOS_PATHS): no endpoint has the path /nowhere',
    ],
    [['--chaos', 'reset:1%', '--chaos-paths', 'get'], 'no endpoint has the path get'],
    [['--chaos', 'delay=6m:1%'], '--chaos (WIREBIN_CHAOS): a delay exceeds --max-duration'],
    [['--chaos', 'reset:1'], "--chaos (WIREBIN_CHAOS) cannot be 'reset:1'; allowed: status=503:5%"],
    [['--chaos', 'reset:1%', '--chaos-seed', '-1'], "cannot be '-1'"],
    [['--chaos', 'reset:1%', '--chaos-seed', '4294967296'], 'cannot be'],
  ])('%j is one line', (args, message) => {
    expect(() => start(...args)).toThrow(message);
  });

  test.each([
    '/get',
    '/bytes',
    '/bytes/{n}',
    '/anything/service-a',
    '/healthz',
    '/control',
    '/status/503',
    '/grpc.testing.TestService',
  ])('--chaos-paths %s', (path) => {
    expect(start('--chaos', 'reset:1%', '--chaos-paths', path)).toMatchObject({
      settings: { chaosPaths: [path] },
    });
  });

  test('every path is one in gateway-api', () => {
    const args = ['--dialect', 'gateway-api', '--chaos', 'reset:1%', '--chaos-paths', '/a/b'];
    expect(start(...args)).toMatchObject({ settings: { chaosPaths: ['/a/b'] } });
  });

  test('options may be an array', () => {
    const { chaos } = readOptions({ chaos: ['status=503:5%', 'reset:1%'], chaosSeed: 7 }, {});
    expect(chaos).toHaveLength(2);
  });
});
