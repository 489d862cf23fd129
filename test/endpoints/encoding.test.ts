import { expect, test } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';

overOneProtocol(({ client }) => {
  test('has characters of one to four bytes', async () => {
    const { status, headers, body } = await client().request('/encoding/utf8');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-length']).toBe(String(body.length));
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    expect(text).toContain('Hello world, Καλημ\u1f73ρα κ\u1f79σμε, コンニチハ');
    const lengths = new Set(Array.from(text, (character) => Buffer.byteLength(character)));
    expect(lengths).toEqual(new Set([1, 2, 3, 4]));
  });
});
