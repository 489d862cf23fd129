import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { selfSignedCredentials } from '../../src/net/certificates.ts';

test('a certificate that cannot be stored leaves no temporary file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'wirebin-certs-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await mkdir(join(directory, 'wirebin.key/full'), { recursive: true });
  const { cert } = await selfSignedCredentials(directory, Date.now());
  expect(cert).toContain('BEGIN CERTIFICATE');
  expect(await readdir(directory)).toEqual(['wirebin.key']);
});
