import { X509Certificate } from 'node:crypto';
import {
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  isWorldReadable,
  makeCredentials,
  readCredentials,
  selfSignedCredentials,
} from '../../src/net/certificates.ts';
import { HAS_MODES } from '../_system.ts';

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.parse('2026-06-01T00:00:00Z');
let directory: string;
let certFile: string;
let keyFile: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'wirebin-certs-'));
  certFile = join(directory, 'wirebin.crt');
  keyFile = join(directory, 'wirebin.key');
});
afterEach(() => rm(directory, { recursive: true }));

describe('the self-signed certificate', () => {
  test('is for this machine, with EC P-256 and SHA-256, valid for a year', async () => {
    const { cert, key } = await selfSignedCredentials(directory, NOW);
    const certificate = new X509Certificate(cert);
    expect(certificate.subjectAltName?.split(', ')).toEqual([
      'DNS:localhost',
      `DNS:${hostname()}`,
      'IP Address:127.0.0.1',
      'IP Address:0:0:0:0:0:0:0:1',
    ]);
    expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect(Date.parse(certificate.validTo)).toBe(NOW + 365 * DAY);
    expect(certificate.ca).toBe(false);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(await readFile(certFile, 'utf8')).toBe(cert);
    expect(await readFile(keyFile, 'utf8')).toBe(key);
    // So that `cat` of both makes the one file that HAProxy takes.
    for (const pem of [cert, key]) expect(pem).toMatch(/-----END .*-----\n$/);
  });

  test('is reused until a week before it expires, then replaced', async () => {
    const made = await selfSignedCredentials(directory, NOW);
    const kept = await selfSignedCredentials(directory, NOW + 357 * DAY);
    expect(String(kept.cert)).toBe(made.cert);
    const renewed = await selfSignedCredentials(directory, NOW + 358.5 * DAY);
    expect(String(renewed.cert)).not.toBe(made.cert);
    expect(await readFile(certFile, 'utf8')).toBe(renewed.cert);
  });

  test('is stored in a directory that does not exist yet', async () => {
    const below = join(directory, 'a', 'b');
    await selfSignedCredentials(below, NOW);
    expect(await readdir(below)).toEqual(['wirebin.crt', 'wirebin.key']);
  });

  test('is kept in memory if the directory cannot be created', async () => {
    await writeFile(join(directory, 'file'), '');
    const { cert, key } = await selfSignedCredentials(join(directory, 'file', 'certs'), NOW);
    expect(new X509Certificate(cert).subject).toBe('CN=localhost');
    expect(key).toMatch(/PRIVATE KEY/);
  });

  test('leaves no temporary file if it cannot be stored', async () => {
    await mkdir(join(keyFile, 'full'), { recursive: true });
    const { cert } = await selfSignedCredentials(directory, NOW);
    expect(cert).toContain('BEGIN CERTIFICATE');
    expect(await readdir(directory)).toEqual(['wirebin.key']);
  });

  test.runIf(HAS_MODES)(
    'has a key readable only by its owner, even if the old file was not',
    async () => {
      await writeFile(keyFile, 'broken');
      await chmod(keyFile, 0o644);
      const before = await stat(keyFile);
      await selfSignedCredentials(directory, NOW);
      const after = await stat(keyFile);
      expect(after.mode & 0o777).toBe(0o600);
      // Written to the old file, the key would have been readable by all for a moment.
      expect(after.ino).not.toBe(before.ino);
      expect(await readdir(directory)).toEqual(['wirebin.crt', 'wirebin.key']);
    },
  );

  test.runIf(HAS_MODES)('makes the key readable only by its owner when it is reused', async () => {
    const made = await selfSignedCredentials(directory, NOW);
    await chmod(keyFile, 0o644);
    const kept = await selfSignedCredentials(directory, NOW);
    expect(String(kept.cert)).toBe(made.cert);
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
  });

  test.runIf(HAS_MODES)(
    'has a directory accessible only by its owner, regardless of the umask',
    async () => {
      const below = join(directory, 'certs');
      const umask = process.umask(0);
      try {
        await selfSignedCredentials(below, NOW);
      } finally {
        process.umask(umask);
      }
      expect((await stat(below)).mode & 0o777).toBe(0o700);
    },
  );

  // Symbolic links need a privilege on Windows.
  test.runIf(HAS_MODES).each([
    ['key', () => keyFile],
    ['certificate', () => certFile],
  ])(
    'is replaced if %s is a symbolic link, whose target is left unchanged',
    async (_name, file) => {
      const made = await selfSignedCredentials(directory, NOW);
      const target = join(directory, 'target');
      await rename(file(), target);
      await chmod(target, 0o644);
      const content = await readFile(target);
      await symlink(target, file());
      const { cert } = await selfSignedCredentials(directory, NOW);
      expect(String(cert)).not.toBe(made.cert);
      expect((await lstat(file())).isFile()).toBe(true);
      expect((await stat(target)).mode & 0o777).toBe(0o644);
      expect(await readFile(target)).toEqual(content);
    },
  );

  test.runIf(HAS_MODES)('does not change the mode of another hard link to the key', async () => {
    const { cert } = await selfSignedCredentials(directory, NOW);
    const other = join(directory, 'other');
    await link(keyFile, other);
    await chmod(other, 0o644);
    expect(String((await selfSignedCredentials(directory, NOW)).cert)).toBe(cert);
    expect((await stat(other)).mode & 0o777).toBe(0o644);
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['a broken certificate', async () => writeFile(certFile, 'broken')],
    ['a broken key', async () => writeFile(keyFile, 'broken')],
    ['no key', async () => rm(keyFile)],
    ['no certificate', async () => rm(certFile)],
    ['another key', async () => writeFile(keyFile, (await makeCredentials(NOW)).key)],
  ])('is replaced if the directory has %s', async (_name, spoil) => {
    const made = await selfSignedCredentials(directory, NOW);
    await spoil();
    const { cert, key } = await selfSignedCredentials(directory, NOW);
    expect(String(cert)).not.toBe(made.cert);
    expect(await readCredentials(certFile, keyFile)).toEqual({
      cert: Buffer.from(cert),
      key: Buffer.from(key),
    });
  });
});

describe("the user's files", () => {
  beforeEach(async () => {
    await selfSignedCredentials(directory, NOW);
  });

  test.each([
    ['a missing certificate', async () => rm(certFile), /cannot read .*wirebin\.crt: ENOENT/],
    ['a missing key', async () => rm(keyFile), /cannot read .*wirebin\.key: ENOENT/],
    [
      'a broken certificate',
      async () => writeFile(certFile, 'x'),
      /\.crt does not contain a PEM certificate/,
    ],
    [
      'a certificate in DER',
      async () => writeFile(certFile, new X509Certificate(await readFile(certFile)).raw),
      /\.crt does not contain a PEM certificate/,
    ],
    [
      'a broken key',
      async () => writeFile(keyFile, 'x'),
      /\.key does not contain an unencrypted PEM private key/,
    ],
    [
      'another key',
      async () => writeFile(keyFile, (await makeCredentials(NOW)).key),
      /the key in .*wirebin\.key does not match the certificate in .*wirebin\.crt/,
    ],
  ])('%s is reported in one line', async (_name, spoil, message) => {
    await spoil();
    const error: unknown = await readCredentials(certFile, keyFile).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toMatch(message);
    expect(String(error)).not.toContain('\n');
  });

  test.runIf(HAS_MODES).each([
    [0o600, false],
    [0o640, false],
    [0o644, true],
    [0o604, true],
  ])('a mode of %o is world-readable: %s', async (mode, open) => {
    await chmod(keyFile, mode);
    expect(await isWorldReadable(keyFile)).toBe(open);
  });

  test('if neither file can be read, the certificate is named', async () => {
    const reads = Array.from({ length: 500 }, () => readCredentials('/no/cert', '/no/key'));
    const outcomes = await Promise.allSettled(reads);
    const reasons = outcomes.map((each) => (each.status === 'rejected' ? String(each.reason) : ''));
    expect(reasons.filter((reason) => !reason.includes('/no/cert'))).toEqual([]);
  });

  test('the error for a directory instead of a file names it', async () => {
    await expect(readCredentials(directory, keyFile)).rejects.toThrow(
      `cannot read ${directory}: EISDIR`,
    );
  });
});
