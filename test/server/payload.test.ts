import { expect, test } from 'vitest';
import { textStream, payloadLength, textPayload } from '../../src/server/payload.ts';
import { overBothProtocols } from '../_everywhere.ts';

test('ASCII stays a string, other text becomes its bytes', () => {
  expect(textPayload('abc\n')).toBe('abc\n');
  expect(textPayload('é')).toEqual(Buffer.from([0xc3, 0xa9]));
  expect(payloadLength(textPayload('aé'))).toBe(3);
});

test('timed texts, piece by piece', async () => {
  const payload = textStream(async function* texts() {
    yield 'aé';
    yield 'b';
  });
  const { signal } = new AbortController();
  const taken = (size: number): string | null | undefined => {
    const piece = payload.next(size);
    return piece && Buffer.from(piece).toString('latin1');
  };
  expect(taken(9)).toBeNull();
  await payload.wait(signal);
  expect([taken(2), taken(2), taken(2)]).toEqual(['aÃ', '©', null]);
  await payload.wait(signal);
  expect([taken(9), taken(9)]).toEqual(['b', null]);
  await payload.wait(signal);
  expect([taken(9), taken(9)]).toEqual([undefined, undefined]);
});

test('the generator ends when the client disconnects, even while a text is being sent', async () => {
  let ended = false;
  const payload = textStream(async function* texts() {
    try {
      yield 'a';
    } finally {
      ended = true;
    }
  });
  const controller = new AbortController();
  await payload.wait(controller.signal);
  controller.abort();
  await expect.poll(() => ended).toBe(true);
  await expect(payload.wait(controller.signal)).rejects.toThrow('aborted');
});

overBothProtocols(({ client }) => {
  const origin = Buffer.from('https://é.example').toString('latin1');
  test.each(['ascii', '%C3%A9'])(
    'a field with obs-text is encoded only once with %s content',
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
