import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { missing, run, startedOrigin } from './_origin.ts';

const why = missing('wget');
if (why !== undefined) console.log(why);

const origin = startedOrigin();

const SIZE = 100_000;
const HAD = 12_345;

describe.skipIf(why !== undefined).each(['http', 'https'])('wget over %s', (scheme) => {
  const wget = async (target: string, ...args: string[]): Promise<string> => {
    const url = origin().url(scheme === 'https') + target;
    const trust = `--ca-certificate=${origin().certificate}`;
    const options = ['--quiet', '--tries=1', '--timeout=30', trust];
    const { code, stdout, stderr } = await run('wget', [...options, ...args, url]);
    expect([code, stderr]).toEqual([0, '']);
    return stdout.toString('latin1');
  };
  const json = async (...words: [target: string, ...args: string[]]): Promise<unknown> =>
    JSON.parse(await wget(...words, '--output-document=-'));

  test.each([`/range/${SIZE}`, `/bytes/${SIZE}?seed=7`])('-c %s', async (target) => {
    const whole = await wget(target, '--output-document=-');
    const file = origin().file(target.slice(target.lastIndexOf('/') + 1));
    writeFileSync(file, whole.slice(0, HAD), 'latin1');
    const folder = `--directory-prefix=${origin().directory}`;
    await wget(target, '-c', folder);
    expect(readFileSync(file, 'latin1') === whole).toBe(true);
    // Nothing is left to get.
    await wget(target, '-c', folder);
    expect(readFileSync(file, 'latin1') === whole).toBe(true);
  });

  test('--user and --password: Basic and Digest', async () => {
    const account = ['--user=u', '--password=p'];
    expect(await json('/basic-auth/u/p', ...account)).toMatchObject({ authenticated: true });
    expect(await json('/digest-auth/auth/u/p', ...account)).toMatchObject({ authenticated: true });
  });

  test('cookies over redirects', async () => {
    const jar = origin().file(`wget-${scheme}`);
    const set = await json('/cookies/set?a=b&max_age=3600', `--save-cookies=${jar}`);
    expect(set).toEqual({ cookies: { a: 'b' } });
    expect(await json('/cookies', `--load-cookies=${jar}`)).toEqual({ cookies: { a: 'b' } });
  });

  test('redirects', async () => {
    expect(await json('/redirect/5')).toMatchObject({ path: '/get' });
  });

  test('--compression=auto', async () => {
    expect(await json('/gzip', '--compression=auto')).toMatchObject({ path: '/gzip' });
    expect(await json('/compressed', '--compression=auto')).toMatchObject({ path: '/compressed' });
  });

  test('--post-data', async () => {
    const echo = await json('/post', '--post-data=a=b&c=d');
    expect(echo).toMatchObject({ form: { a: 'b', c: 'd' } });
  });
});
