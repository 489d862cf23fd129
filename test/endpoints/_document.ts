import { expect, test } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';

/** The test of an endpoint with a fixed document: its type, its length, and the same bytes each time. */
export function servesDocument(
  path: string,
  type: string,
  check: (text: string, bytes: Buffer) => void,
): void {
  overOneProtocol(({ client }) => {
    test('a fixed document', async () => {
      const { status, headers, body } = await client().request(path);
      expect(status).toBe(200);
      expect(headers['content-type']).toBe(type);
      expect(headers['content-length']).toBe(String(body.length));
      check(body.toString(), body);
      expect((await client().request(path)).body).toEqual(body);
    });
  });
}
