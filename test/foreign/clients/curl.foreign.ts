import { readFileSync, writeFileSync } from 'node:fs';
import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { isHttp2, transports } from '../../_client.ts';
import { build, curl, type Answer } from './_curl.ts';
import { startedOrigin } from './_origin.ts';

const built = await build();
if (!built) console.log('curl: not run, there is none');
// 7.88.0 and .1 lose the second request of an h2c connection (curl/curl#10643).
const losing = built?.version.startsWith('curl 7.88.') ?? false;

const origin = startedOrigin();

const SIZE = 100_000;
const HAD = 12_345;

function jsonOf({ body }: Answer): Record<string, unknown> {
  return JSON.parse(body.toString()) as Record<string, unknown>;
}

describe.runIf(built).each(transports)('curl over %s', (transport) => {
  const ask = (target: string | string[], ...args: string[]): Promise<Answer> =>
    curl(origin(), transport, target, ...args);

  const testReuse = test.skipIf(transport === 'h2c' && losing);

  test('speaks the protocol that was meant', async () => {
    const { http_version: version } = await ask('/get');
    expect(version).toBe(isHttp2(transport) ? '2' : '1.1');
  });

  const algorithms = ['MD5', 'MD5-sess', 'SHA-256', 'SHA-256-sess'];
  const both = algorithms.flatMap((name) => [`auth/u/p/${name}`, `auth-int/u/p/${name}`]);
  testReuse.each([...both, 'auth,auth-int/u/p', 'auth/u/p/SHA-256?userhash'])(
    '--digest /digest-auth/%s',
    async (rest) => {
      const target = `/digest-auth/${rest}`;
      const answer = await ask(target, '--digest', '--user', 'u:p');
      expect(answer.http_code).toBe(200);
      expect(jsonOf(answer)).toMatchObject({ authenticated: true, user: 'u' });
      const wrong = await ask(target, '--digest', '--user', 'u:x');
      expect(wrong.http_code).toBe(401);
    },
  );

  testReuse('--anyauth, --user, --oauth2-bearer', async () => {
    const any = await ask('/digest-auth/auth/u/p', '--anyauth', '--user', 'u:p');
    const basic = await ask('/basic-auth/u/p', '--user', 'u:p');
    const hidden = await ask('/hidden-basic-auth/u/p', '--user', 'u:p');
    const bearer = await ask('/bearer', '--oauth2-bearer', 'abc');
    expect([any, basic, hidden, bearer].map(({ http_code: status }) => status)).toEqual([
      200, 200, 200, 200,
    ]);
  });

  const codings = [
    ['/gzip', 'gzip', built?.features.has('libz')],
    ['/deflate', 'deflate', built?.features.has('libz')],
    ['/brotli', 'br', built?.features.has('brotli')],
    ['/compressed', 'br', built?.features.has('brotli')],
    ['/zstd', 'zstd', built?.features.has('zstd') && 'createZstdCompress' in zlib],
  ] as const;
  test.for(codings)('--compressed %s', async ([target, coding, isKnown], { skip }) => {
    if (!isKnown) skip('curl or Node does not know it');
    const answer = await ask(target, '--compressed');
    expect(answer.head).toMatch(new RegExp(`^content-encoding: ${coding}\\r$`, 'im'));
    expect(jsonOf(answer)).toMatchObject({ method: 'GET', path: target });
  });

  test.each([`/range/${SIZE}`, `/bytes/${SIZE}?seed=7`])('-C - %s', async (target) => {
    const { body } = await ask(target);
    const file = origin().file('resumed');
    writeFileSync(file, body.subarray(0, HAD));
    const answer = await ask(target, '-C', '-', '--output', file);
    expect([answer.code, answer.http_code]).toEqual([0, 206]);
    expect(readFileSync(file).equals(body)).toBe(true);
    // Nothing is left to get: 416, which curl takes well.
    const again = await ask(target, '-C', '-', '--output', file);
    expect([again.code, again.http_code]).toEqual([0, 416]);
    expect(readFileSync(file).equals(body)).toBe(true);
  });

  test('-C - does not mix bytes of two answers: fresh ones cannot be resumed', async () => {
    const file = origin().file('fresh');
    writeFileSync(file, 'had');
    const { code } = await ask(`/bytes/${SIZE}`, '-C', '-', '--output', file);
    expect(code).toBe(33);
    expect(readFileSync(file, 'latin1')).toBe('had');
  });

  test('--etag-save, --etag-compare and --time-cond', async () => {
    const tag = origin().file('tag');
    await ask('/range/100', '--etag-save', tag);
    expect(readFileSync(tag, 'latin1').trim()).toBe('"range-100"');
    const tagged = await ask('/range/100', '--etag-compare', tag);
    const timed = await ask('/range/100', '--time-cond', '1 Jun 2024');
    expect([tagged.http_code, timed.http_code]).toEqual([304, 304]);
  });

  test('--range with several', async () => {
    const { http_code: status, body } = await ask('/range/100', '--range', '0-2,26-28');
    expect([status, body.toString().match(/abc/g)?.length]).toEqual([206, 2]);
  });

  testReuse('--cookie-jar on /cookies/set, and back again', async () => {
    const jar = origin().file(`jar-${transport.replace('/', '-')}`);
    const kept = ['--cookie', jar, '--cookie-jar', jar, '--location'];
    const set = await ask('/cookies/set?flavour=oat&size=2&max_age=3600', ...kept);
    expect(jsonOf(set)).toEqual({ cookies: { flavour: 'oat', size: '2' } });
    expect(readFileSync(jar, 'utf8')).toMatch(
      /^127\.0\.0\.1\tFALSE\t\/\tFALSE\t\d+\tflavour\toat$/m,
    );
    const one = await ask('/cookies/set/third/3', ...kept);
    expect(jsonOf(one)).toEqual({ cookies: { flavour: 'oat', size: '2', third: '3' } });
    const deleted = await ask('/cookies/delete?flavour&third', ...kept);
    expect(jsonOf(deleted)).toEqual({ cookies: { size: '2' } });
  });

  testReuse.each(['/redirect/5', '/relative-redirect/5', '/absolute-redirect/5'])(
    '-L %s',
    async (target) => {
      const answer = await ask(target, '--location');
      expect([answer.http_code, answer.num_redirects, answer.num_connects]).toEqual([200, 5, 1]);
      expect(new URL(answer.url_effective).pathname).toBe('/get');
    },
  );

  testReuse.each([
    [301, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', 'a=b'],
    [308, 'POST', 'a=b'],
  ])('-L -d by %d arrives as %s', async (status, method, body) => {
    const to = `/redirect-to?url=/anything&status_code=${status}`;
    expect(jsonOf(await ask(to, '--location', '--data', 'a=b'))).toMatchObject({ method, body });
  });

  test('-F and -T to an echo', async () => {
    const file = origin().file('small');
    writeFileSync(file, 'bytes');
    const form = await ask('/post', '--form', 'a=b', '--form', `file=@${file};type=text/plain`);
    expect(jsonOf(form)).toMatchObject({ form: { a: 'b' }, files: { file: 'bytes' } });
    const put = await ask('/put', '--upload-file', file, '--header', 'Expect: 100-continue');
    expect(jsonOf(put)).toMatchObject({ method: 'PUT', body: 'bytes' });
  });
});
