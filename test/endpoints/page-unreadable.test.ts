import * as fs from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';
import { pageAssets } from '../../src/pages/home/assets.ts';

vi.mock('node:fs/promises', async (original) => {
  const actual = await original<typeof fs>();
  return { ...actual, readFile: vi.fn(actual.readFile) };
});

function failOnce() {
  const error = new Error('EMFILE: too many open files');
  vi.mocked(fs.readFile).mockRejectedValueOnce(error);
}

overOneProtocol(({ client }) => {
  const statusOf = async (path: string, headers: Record<string, string>) =>
    (await client().request(path, { headers })).status;

  test('the page is served once its files can be read', async () => {
    const headers = { accept: 'text/html' };
    failOnce();
    expect(await statusOf('/', headers)).toBe(500);
    expect(await statusOf('/', headers)).toBe(200);
  });

  test('a file of the page is served once it can be read', async () => {
    const { hash } = await pageAssets();
    const path = `/page/${hash}/main.js`;
    const headers = { 'accept-encoding': 'br' };
    failOnce();
    expect(await statusOf(path, headers)).toBe(500);
    expect(await statusOf(path, headers)).toBe(200);
  });
});
