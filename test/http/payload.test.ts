import { expect, test } from 'vitest';
import { payloadLength, textPayload } from '../../src/http/payload.ts';
import { everywhere } from '../_everywhere.ts';

test('ASCII stays a string, other text becomes its octets', () => {
  expect(textPayload('abc\n')).toBe('abc\n');
  expect(textPayload('é')).toEqual(Buffer.from([0xc3, 0xa9]));
  expect(payloadLength(textPayload('aé'))).toBe(3);
});

everywhere(({ client }) => {
  const origin = Buffer.from('https://é.example').toString('latin1');
  test.each(['ascii', '%C3%A9'])(
    'a field of obs-text beside %s content goes out once encoded',
    async (text) => {
      const { headers, body } = await client().request(`/anything/x?text=${text}`, {
        headers: { origin },
      });
      expect(headers['access-control-allow-origin']).toBe(origin);
      expect(JSON.parse(body.toString())).toMatchObject({
        args: { text: decodeURIComponent(text) },
      });
    },
  );
});
