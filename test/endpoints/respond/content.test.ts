import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { exchange, GET, LAST } from '../../_raw.ts';
import { overBothProtocols, overOneProtocol, sharedPlace } from '../../_everywhere.ts';

overBothProtocols(({ client }) => {
  const ask = (query: string) => client().request(`/respond?${query}`);

  test('digests are those of the content, also if it is random, encoded or paced', async () => {
    for (const query of ['content=random:20k', 'content=lines:9&encoding=br', 'body=a&rate=9']) {
      const { headers, body } = await ask(`${query}&digest=sha-256`);
      const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
      expect(headers).toMatchObject({ 'content-digest': digest, 'repr-digest': digest });
    }
  });

  test('the echo is of the request with its content', async () => {
    const { headers, body } = await client().request('/respond?content=echo&status=201', {
      method: 'POST',
      body: 'sent',
    });
    expect(headers['content-type']).toBe('application/json');
    expect(JSON.parse(body.toString())).toMatchObject({ method: 'POST', body: 'sent' });
  });

  test('random bytes without a length have an end, also if they are encoded', async () => {
    for (const query of ['trailer=a:b', 'chunk=700', 'encoding=deflate&chunk=9000']) {
      const { body, headers } = await ask(`content=random:20k&${query}`);
      expect(headers['content-length']).toBeUndefined();
      if (!query.startsWith('encoding')) expect(body).toHaveLength(20 * 1024);
    }
  });

  test('lines are numbered, in pieces of any size as well', async () => {
    const { body } = await ask('content=lines:3000');
    const lines = Array.from(
      { length: 3000 },
      (_, at) => `line ${String(at + 1).padStart(10, '0')}\n`,
    );
    expect(body.toString()).toBe(lines.join(''));
    const pieces = await ask('content=lines:9&chunk=7');
    expect(pieces.body.toString()).toBe(lines.slice(0, 9).join(''));
  });
});

overBothProtocols(({ client }) => {
  test.each([
    ['/respond?content=echo&type=text/html&digest=md5', undefined],
    ['/respond?content=echo&type=text/html&chunk=5000', undefined],
    ['/nowhere', 'content=echo&type=text/html'],
  ])('%s: the echo of much markup is escaped', async (target, description) => {
    const body = '<b>&"'.repeat(100_000);
    const answer = await client().request(target, {
      method: 'POST',
      body,
      headers: description === undefined ? {} : { 'x-wirebin-respond': description },
    });
    const text = answer.body.toString();
    expect(text).not.toMatch(/[<>&]/);
    expect(JSON.parse(text)).toMatchObject({ body, data: body });
  });
});

overOneProtocol(({ client }) => {
  const ask = (query: string) => client().request(`/respond?${query}`);

  test('no script is executed by a browser', async () => {
    const script = '<script>alert(1)</script>';
    for (const type of ['text/html', 'image/svg%2Bxml', 'nonsense/x']) {
      for (const query of [`type=${type}`, `header=Content-Type:${type}`]) {
        for (const content of [`body=${script}`, `content=echo`]) {
          const { body } = await client().request(`/respond?${query}&${content}`, {
            method: 'POST',
            body: script,
          });
          expect(body.toString()).not.toContain('<');
        }
        const hidden = await ask(`${query}&body=a&header=Content-Encoding:gzip`);
        expect(hidden.body.toString()).toContain('Content-Encoding in header');
      }
    }
    const { body } = await ask(`type=text/plain&body=${script}`);
    expect(body.toString()).toBe(script);
  });
});

const { running } = sharedPlace('http/1.1', '--allow-raw');

test('--allow-raw: markup is sent as it is', async () => {
  const query = 'type=text/html&body=%3Cb%3E&header=Content-Encoding:identity';
  expect(await exchange(running().port, GET(`/respond?${query}`, LAST))).toMatch(/\r\n\r\n<b>$/);
});
