import { expect, test } from 'vitest';
import { overBothProtocols, overOneProtocol, sharedPlace } from '../../_everywhere.ts';

const query = (values: Readonly<Record<string, string>>): string =>
  `/respond?${new URLSearchParams(values).toString()}`;

overOneProtocol(({ client }) => {
  const refusal = async (values: Readonly<Record<string, string>>) => {
    const { status, body } = await client().request(query(values));
    return `${status} ${body.toString()}`;
  };

  test.each([
    { type: 'text/javascript', body: 'alert(1)' },
    { type: 'application/x-JavaScript;charset=utf-8', body: 'alert(1)' },
    { header: 'Content-Type: text/ecmascript', body: 'alert(1)' },
    { header: 'X-Content-Type-Options: none', body: 'alert(1)' },
    { header: 'Service-Worker-Allowed: /' },
    { type: 'text/html', header: 'Content-Encoding: gzip', base64: 'AAAA' },
    { body: 'HTTP/1.1 200 OK', fault: 'content-length,declared=0,sent=15' },
    { base64: 'SFRUUA==', fault: 'chunk' },
    { content: 'echo', fault: 'head,how=length-and-chunked' },
    { body: 'a', fault: 'head,how=two-lengths' },
  ])('%j is refused', async (values) => {
    expect(await refusal(values)).toMatch(/^400 .*only --allow-raw allows it/s);
  });

  test.each([
    { type: 'application/json', body: '{}' },
    { header: 'X-Content-Type-Options: nosniff', body: 'a' },
    { body: 'abc', fault: 'content-length,declared=9,sent=3' },
    { status: '201', header: 'Location: made' },
    { status: '302', header: 'Location: /get' },
    { status: '302', header: 'Location: http://127.0.0.1:1/' },
  ])('%j is sent', async (values) => {
    const { status } = await client()
      .request(query(values))
      .catch(() => ({ status: 200 }));
    expect(status).toBeLessThan(400);
  });

  test.each(['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:a'])(
    'no status redirects to %s',
    async (location) => {
      const values = { status: '200:50,302:50', header: `Location: ${location}` };
      expect(await refusal(values)).toMatch(/^403 .*redirect-not-allowed/s);
    },
  );

  test.each([
    '0;url=https://evil.example/',
    '5; URL = "//evil.example/"',
    "1,'https://evil.example'",
    '0 //evil.example',
    '.5;https:evil.example',
    '0;url=data:text/html,x',
    '//evil.example',
    '0;url=/\\evil.example',
  ])('Refresh does not lead to %s', async (refresh) => {
    const refused = /^403 .*redirect-not-allowed/s;
    expect(await refusal({ header: `refresh: ${refresh}` })).toMatch(refused);
    for (const path of [
      `/response-headers?${new URLSearchParams({ Refresh: refresh }).toString()}`,
      `/sse?${new URLSearchParams({ header: `Refresh: ${refresh}` }).toString()}`,
    ]) {
      const { status, body } = await client().request(path);
      expect(`${status} ${body.toString()}`).toMatch(refused);
    }
  });

  test.each(['5', '0.5', '5;url=/get', "5; url='http://127.0.0.1:1/'", '5;url='])(
    'Refresh: %s is sent',
    async (refresh) => {
      const paths = [
        query({ header: `Refresh: ${refresh}` }),
        `/response-headers?${new URLSearchParams({ Refresh: refresh }).toString()}`,
      ];
      for (const path of paths) {
        const { status, headers } = await client().request(path);
        expect([status, headers['refresh']]).toEqual([200, refresh]);
      }
    },
  );

  const answer = async (description: string) => {
    const options = { method: 'POST', body: description };
    const { status, body } = await client().request('/respond', options);
    return `${status} ${body.toString()}`;
  };

  test('JSON is refused before much of it is read', async () => {
    const deep = `{"body":${'['.repeat(5000)}${']'.repeat(5000)}}`;
    expect(await answer(deep)).toMatch(/^400 .*the description is nested so deeply/s);
    const codes = JSON.stringify({ informational: Array.from({ length: 101 }, () => 103) });
    expect(await answer(codes)).toMatch(/^400 .*more than 100 statuses/s);
    const many = JSON.stringify({ informational: Array.from({ length: 3000 }, () => 103) });
    expect(await answer(many)).toMatch(/^400 .*has more than 2000 values/s);
    const fields = JSON.stringify({ header: Array.from({ length: 3000 }, () => 'A: b') });
    expect(await answer(fields)).toMatch(/^400 .*more than 2000 values/s);
  });
});

overBothProtocols(({ client }) => {
  test('type is no longer than a query', async () => {
    const { status, body } = await client().request('/respond', {
      method: 'POST',
      body: JSON.stringify({ body: 'x', type: `a/b${';a=b'.repeat(10_000)}` }),
    });
    expect([status, body.toString()]).toEqual([400, expect.stringContaining('type has more than')]);
  });
});

const { client: raw } = sharedPlace('http/1.1', '--allow-raw');

test('--allow-raw: the client may choose all of it', async () => {
  const { status, headers, body } = await raw().request(
    query({ type: 'text/javascript', body: 'alert(1)', header: 'Service-Worker-Allowed: /' }),
  );
  expect([status, headers['service-worker-allowed'], body.toString()]).toEqual([
    200,
    '/',
    'alert(1)',
  ]);
});
