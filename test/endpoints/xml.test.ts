import { expect, test } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';

overOneProtocol(({ client }) => {
  test('a fixed document', async () => {
    const { status, headers, body } = await client().request('/xml');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/xml');
    expect(headers['content-length']).toBe(String(body.length));
    const document = body.toString();
    expect(document).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<(\w+)[^]*<\/\1>\n$/);
    expect(document).toContain('grün');
    expect((await client().request('/xml')).body).toEqual(body);
  });
});
