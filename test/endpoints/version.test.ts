import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parsed } from '../_echo.ts';
import { overOneProtocol } from '../_everywhere.ts';

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, unknown>;

overOneProtocol(({ client }) => {
  test('has the name and version of the package', async () => {
    const received = await client().request('/version');
    expect(received.status).toBe(200);
    expect(parsed(received)).toEqual({
      name: manifest['name'],
      version: manifest['version'],
      process: expect.stringMatching(/./),
    });
  });
});
