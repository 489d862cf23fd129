import { expect, test } from 'vitest';
import { everywhere } from '../_everywhere.ts';

everywhere(({ client }) => {
  test('is the document, with the paths that are served', async () => {
    const { status, headers, body } = await client().request('/openapi.json');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    const document = JSON.parse(body.toString()) as { openapi: string; paths: object };
    expect(document.openapi).toBe('3.1.0');
    expect(document.paths).toHaveProperty(['/openapi.json']);
    // Without --metrics-enabled there is no such path.
    expect(document.paths).not.toHaveProperty(['/metrics']);
  });
});
