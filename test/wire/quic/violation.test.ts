import { expect, test } from 'vitest';
import { violation } from '../../../src/wire/quic/violation.ts';

test('a violation has the code that its section prescribes', () => {
  expect(violation('RFC 9000 4.5', 'the final size changed', 'FINAL_SIZE_ERROR')).toEqual({
    section: 'RFC 9000 4.5',
    reason: 'the final size changed',
    code: 'FINAL_SIZE_ERROR',
  });
});

test('without a more specific code it is PROTOCOL_VIOLATION (RFC 9000 11)', () => {
  expect(violation('RFC 9000 13.1', 'ACK of a packet that was not sent').code).toBe(
    'PROTOCOL_VIOLATION',
  );
});
