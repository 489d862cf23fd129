import { expect, test } from 'vitest';
import { parsed } from '../_echo.ts';
import { overOneProtocol } from '../_everywhere.ts';
import { expectRefused } from '../_refusal.ts';

overOneProtocol(({ client }) => {
  test.each([
    ['abc', '"abc"'],
    ['%22abc%22', '"abc"'],
    ['W%2F%22abc%22', 'W/"abc"'],
    ['', '""'],
    ["a,b!$&'()*+:;=@", `"a,b!$&'()*+:;=@"`],
    ['%C3%A9', '"\u00c3\u00a9"'],
    ['x'.repeat(1024), `"${'x'.repeat(1024)}"`],
  ])('/etag/%.20s is the echo with an ETag', async (segment, tag) => {
    const received = await client().request(`/etag/${segment}?a=1`);
    expect(received.status).toBe(200);
    expect(received.headers.etag).toBe(tag);
    expect(received.headers['last-modified']).toBeUndefined();
    expect(parsed(received)).toMatchObject({ method: 'GET', args: { a: '1' } });
  });

  test.each([
    ['a%22b', 'etag=a"b is not an entity tag'],
    ['%22%22%22', 'etag=""" is not an entity tag'],
    ['w%2F%22a%22', 'etag=w/"a" is not an entity tag'],
    ['a%20b', 'etag=a b is not an entity tag'],
    ['a%0D%0AX:y', 'etag=a\r\nX:y is not an entity tag'],
    ['a%00', 'etag=a\0 is not an entity tag'],
    ['x'.repeat(1025), 'etag has 1025 bytes, the maximum is 1024'],
  ])('/etag/%.20s is rejected', async (segment, detail) => {
    await expectRefused(client(), `/etag/${segment}`, detail);
  });

  test.each([
    ['abc', 'if-none-match', '"abc"', 304],
    ['W%2F%22abc%22', 'if-none-match', '"abc"', 304],
    ['abc', 'if-none-match', '"123"', 200],
    ['abc', 'if-match', '"abc"', 200],
    ['abc', 'if-match', 'W/"abc"', 412],
    ['W%2F%22abc%22', 'if-match', 'W/"abc"', 412],
    ['abc', 'if-modified-since', 'Mon, 01 Jan 2024 00:00:00 GMT', 200],
    ['abc', 'if-unmodified-since', 'Mon, 01 Jan 1990 00:00:00 GMT', 200],
  ])('RFC 9110 13.1: /etag/%s with %s: %s is %d', async (segment, name, value, expected) => {
    const target = `/etag/${segment}`;
    const headers = { [name]: value };
    const received = await client().request(target, { headers });
    expect(received.status).toBe(expected);
    expect(received.headers.etag === undefined).toBe(expected === 412);
    if (expected === 304) expect(received.body).toHaveLength(0);
    const head = await client().request(target, { method: 'HEAD', headers });
    expect(head.status).toBe(expected);
  });

  test.each([
    ['if-none-match', '"abc"', 412],
    ['if-none-match', '"old"', 200],
  ])('RFC 9110 13.2.2: a PUT with %s: %s is %d', async (name, value, expected) => {
    const sent = { method: 'PUT', headers: { [name]: value }, body: 'a' };
    const received = await client().request('/etag/abc', sent);
    expect(received.status).toBe(expected);
    if (expected === 200) expect(parsed(received)).toMatchObject({ method: 'PUT', data: 'a' });
  });
});
