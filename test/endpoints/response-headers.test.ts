import { constants } from 'node:http2';
import { expect, test } from 'vitest';
import { overBothProtocols, overOneProtocol } from '../_everywhere.ts';
import { expectRefused } from '../_refusal.ts';

/** The values of a field's lines, as received. */
function lines(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
}

overOneProtocol(({ client }) => {
  test.each(['GET', 'POST'])('%s sends the parameters as fields and as JSON', async (method) => {
    const { status, headers, rawHeaders, body } = await client().request(
      '/response-headers?X-One=1&x-two=a&x-two=b,c&x-empty=&x-space=a+b%20c',
      { method },
    );
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    expect(headers['content-length']).toBe(String(body.length));
    expect(lines(rawHeaders, 'x-one')).toEqual(['1']);
    expect(lines(rawHeaders, 'x-two')).toEqual(['a', 'b,c']);
    expect(lines(rawHeaders, 'x-empty')).toEqual(['']);
    expect(lines(rawHeaders, 'x-space')).toEqual(['a b c']);
    expect(JSON.parse(body.toString())).toEqual({
      'X-One': '1',
      'x-two': ['a', 'b,c'],
      'x-empty': '',
      'x-space': 'a b c',
    });
  });

  test('an empty object without parameters', async () => {
    const { status, body } = await client().request('/response-headers');
    expect([status, body.toString()]).toEqual([200, '{}\n']);
  });

  test('the fields replace defaults', async () => {
    const date = 'Thu, 01 Jan 1970 00:00:00 GMT';
    const { rawHeaders, body } = await client().request(
      `/response-headers?content-TYPE=text/html&x-request-id=mine&X-Response-Time=never&date=${encodeURIComponent(date)}` +
        '&access-control-allow-origin=*&vary=Accept&server=me',
      { headers: { origin: 'http://example.com', 'x-request-id': 'theirs' } },
    );
    expect(lines(rawHeaders, 'content-type')).toEqual(['text/html']);
    expect(lines(rawHeaders, 'x-request-id')).toEqual(['mine']);
    expect(lines(rawHeaders, 'x-response-time')).toEqual(['never']);
    expect(lines(rawHeaders, 'date')).toEqual([date]);
    expect(lines(rawHeaders, 'access-control-allow-origin')).toEqual(['*']);
    expect(lines(rawHeaders, 'vary')).toEqual(['Accept']);
    expect(JSON.parse(body.toString())).toMatchObject({ 'content-TYPE': 'text/html' });
  });

  test('a value that is the name of a default replaces nothing', async () => {
    const { headers } = await client().request('/response-headers?x=X-Request-Id');
    expect(headers['x-request-id']).toMatch(/./);
  });

  test('inherited property names are ordinary names', async () => {
    const query = '__proto__=a&constructor=b&toString=c&valueOf=d';
    const { rawHeaders, body } = await client().request(`/response-headers?${query}`);
    expect(lines(rawHeaders, '__proto__')).toEqual(['a']);
    expect(lines(rawHeaders, 'constructor')).toEqual(['b']);
    expect(lines(rawHeaders, 'tostring')).toEqual(['c']);
    expect(body.toString()).toContain('"__proto__": "a"');
    expect(body.toString()).toContain('"constructor": "b"');
  });

  test('RFC 9110 5.5: bytes are sent unchanged, the JSON has them decoded', async () => {
    const { rawHeaders, headers, body } = await client().request(
      '/response-headers?x-text=caf%C3%A9%20%E2%82%AC&x-bytes=%80%FF&x-tab=a%09b',
    );
    expect(lines(rawHeaders, 'x-text')).toEqual([Buffer.from('café €').toString('latin1')]);
    expect(lines(rawHeaders, 'x-bytes')).toEqual(['\x80\xff']);
    expect(lines(rawHeaders, 'x-tab')).toEqual(['a\tb']);
    expect(headers['content-length']).toBe(String(body.length));
    const text = { 'x-text': 'café €', 'x-bytes': '\ufffd\ufffd', 'x-tab': 'a\tb' };
    expect(JSON.parse(body.toString())).toEqual(text);
  });

  test.each([
    'content-length',
    'Transfer-Encoding',
    'connection',
    'keep-alive',
    'upgrade',
    'te',
    'trailer',
    'proxy-connection',
    'http2-settings',
    ':status',
    ':anything',
  ])('%s cannot be set', async (name) => {
    const detail = `${name} cannot be set: it affects message framing or the connection`;
    await expectRefused(client(), `/response-headers?${name}=1`, detail);
  });

  const NO_VALUES = ['a%0D%0Ab', 'a%0Ab', 'a%0Db', 'a%00b', '%7F', '%1B', '%20a', 'a%09', '+'];
  test.each(NO_VALUES)('a value of %s is rejected', async (sent) => {
    const detail = `x=${decodeURIComponent(sent).replace('+', ' ')} is not a field value`;
    await expectRefused(client(), `/response-headers?x=${sent}`, detail);
  });

  test.each([
    ['a%20b', 'a b'],
    ['a%0D%0Ab', 'a\r\nb'],
    ['a:', 'a:'],
    ['%C3%A9', 'é'],
    ['(a)', '(a)'],
    ['', 'an empty string'],
  ])('a name of %s is rejected', async (sent, name) => {
    await expectRefused(client(), `/response-headers?${sent}=1`, `${name} is not a field name`);
  });

  test('a single-valued field cannot be repeated', async () => {
    const detail = 'is given more than once, but has a single value';
    const target = '/response-headers?content-type=a/b&Content-Type=a/b';
    await expectRefused(client(), target, `Content-Type ${detail}`);
    await expectRefused(client(), '/response-headers?etag=1&x=1&ETag=2', `ETag ${detail}`);
  });

  // Node throws if a field that it considers single-valued is repeated; its list varies by version.
  test('has nosniff unless the query sets the field', async () => {
    const { rawHeaders } = await client().request('/response-headers?x=1');
    expect(lines(rawHeaders, 'x-content-type-options')).toEqual(['nosniff']);
    const own = await client().request('/response-headers?X-Content-Type-Options=x');
    expect(lines(own.rawHeaders, 'x-content-type-options')).toEqual(['x']);
  });

  test('JSON with another type has no markup and the same value', async () => {
    const markup = '</script><img src=x onerror="a&b">\u2028';
    const query = `x-a=1&${encodeURIComponent('x-b')}=${encodeURIComponent(markup)}`;
    const html = await client().request(`/response-headers?${query}&content-type=text/html`);
    expect(html.headers['content-type']).toBe('text/html');
    expect(html.body.toString()).not.toMatch(/[<>&]/);
    const fields = { 'x-a': '1', 'x-b': markup };
    expect(JSON.parse(html.body.toString())).toEqual({ ...fields, 'content-type': 'text/html' });
    expect(html.headers['content-length']).toBe(String(html.body.length));
    const json = await client().request(`/response-headers?${query}`);
    expect(json.body.toString()).toContain('</script>');
    expect(JSON.parse(json.body.toString())).toEqual(fields);
  });
}, '--max-target-size=65536');

overBothProtocols(({ client, transport }) => {
  test('every field that Node knows, requested twice, gets a response', async () => {
    const names = Object.entries(constants)
      .filter(([name]) => name.startsWith('HTTP2_HEADER_'))
      .map(([, value]) => String(value));
    expect(names.length).toBeGreaterThan(70);
    for (const name of names) {
      const { status, rawHeaders } = await client().request(
        `/response-headers?${encodeURIComponent(name)}=1&${encodeURIComponent(name)}=2`,
      );
      expect([200, 400]).toContain(status);
      if (status === 200) expect(lines(rawHeaders, name)).toEqual(['1', '2']);
    }
  });

  test('32 KiB of fields is the maximum, and every transport can send it', async () => {
    const fields = `a=${'x'.repeat(296)}&`.repeat(99);
    const target = `/response-headers?${fields}b=${'x'.repeat(164)}`;
    const most = await client()
      .request(target)
      .catch((error: unknown) => error);
    // Node's HTTP/1.1 client accepts 16 KiB of fields by default.
    if (transport.startsWith('h2')) expect(most).toMatchObject({ status: 200 });
    else expect(most).toMatchObject({ code: 'HPE_HEADER_OVERFLOW' });
    const detail = 'the fields have 32769 bytes (RFC 9113 6.5.2), the maximum is 32768';
    await expectRefused(client(), `${target}x`, detail);
  });
}, '--max-target-size=65536');
