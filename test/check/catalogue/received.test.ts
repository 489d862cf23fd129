import { expect, test } from 'vitest';
import { judgeNext } from '../../../src/check/catalogue/received.ts';
import type { Transfer } from '../../../src/check/message.ts';

const BEFORE: Transfer = {
  sent: '',
  received: '',
  interim: [],
  response: undefined,
  ending: 'complete',
  firstByte: undefined,
  duration: 0,
  isReusable: true,
};

test.each([
  ['a closed connection', { ending: 'closed' }, 'pass'],
  ['a reset connection', { ending: 'reset' }, 'pass'],
  ['GOAWAY', { ending: 'goaway', errorCode: 0 }, 'pass'],
  ['RST_STREAM', { ending: 'reset', errorCode: 7 }, 'fail'],
  ['no response in time', { ending: 'timeout' }, 'fail'],
  ['bytes after the response before', { ending: 'malformed' }, 'fail'],
] as const)('%s in place of the next response', (_, next, outcome) => {
  const transfer: Transfer = { ...BEFORE, ...next };
  expect(judgeNext({ transfer, received: undefined }, BEFORE).outcome).toBe(outcome);
});
