import { expect, test } from 'vitest';
import { parseCredentials, serializeCredentials } from '../../src/cluster/messages.ts';

test('credentials arrive at workers as they were sent, all certificates with them', () => {
  const others = [{ cert: 'second', key: 'its key' }];
  const ticketKeys = Buffer.from('48 bytes');
  const sent = serializeCredentials({
    cert: Buffer.from('a'),
    key: 'b',
    others,
    ca: 'c',
    ticketKeys,
  });
  const received = { cert: 'a', key: 'b', others, ca: 'c', ticketKeys };
  expect(parseCredentials(JSON.parse(JSON.stringify(sent)) as typeof sent)).toEqual(received);
});
