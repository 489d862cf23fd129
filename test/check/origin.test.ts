import { expect, test } from 'vitest';
import type { ResponseMessage } from '../../src/check/message.ts';
import { processAt, versionOf } from '../../src/check/origin.ts';

const responseOf = (content: object): ResponseMessage => ({
  status: 200,
  fields: [],
  content: Buffer.from(JSON.stringify(content)),
  trailers: [],
});

test('a wirebin whose /version has a member less or more is found, too', () => {
  const older = responseOf({ name: 'wirebin', version: '0.0.9' });
  expect(versionOf(older)?.version).toBe('0.0.9');
  expect(processAt(older)).toBeUndefined();
  const newer = responseOf({ name: 'wirebin', version: '9.0.0', process: 'a', build: 7 });
  expect(versionOf(newer)?.version).toBe('9.0.0');
  expect(processAt(newer)?.process).toBe('a');
  expect(versionOf(responseOf({ name: 'other', version: '1' }))).toBeUndefined();
});
