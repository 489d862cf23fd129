import { expect, test } from 'vitest';
import {
  errorCode,
  errorCodeName,
  errorCodes,
  frameTypeName,
  frameTypes,
  settingName,
  settings,
} from '../../../src/wire/http2/names.ts';

test('code points have the names that IANA has registered, and are numbers without one', () => {
  expect([1, 9, 0x10, 0x4d44, 0, 7].map(settingName)).toEqual([
    'HEADER_TABLE_SIZE',
    'NO_RFC7540_PRIORITIES',
    'TLS_RENEG_PERMITTED',
    'ENABLE_METADATA',
    '0x0000',
    '0x0007',
  ]);
  expect([0, 0x0a, 0x0c, 0x10, 0x0b].map(frameTypeName)).toEqual([
    'DATA',
    'ALTSVC',
    'ORIGIN',
    'PRIORITY_UPDATE',
    '0x0B',
  ]);
  expect([0, 13, 14].map(errorCodeName)).toEqual(['NO_ERROR', 'HTTP_1_1_REQUIRED', '0x000E']);
  expect(errorCode('ENHANCE_YOUR_CALM')).toBe(11);
});

test.each([[Object.values(settings)], [Object.values(frameTypes)], [errorCodes]])(
  'no name is twice in a table',
  (names) => {
    expect(new Set(names).size).toBe(names.length);
  },
);
