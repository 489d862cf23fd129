import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { base64Text } from '../../src/endpoints/base64.ts';
import { overOneProtocol } from '../_everywhere.ts';
import { expectRefused } from '../_refusal.ts';

const TEXT = 'text/plain; charset=utf-8';
const BYTES = 'application/octet-stream';

/** The percent-decoded bytes of a path segment, as latin1. */
function unescaped(segment: string): string {
  return segment.replace(/%(..)/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

function isDecoded(text: string): boolean {
  try {
    return base64Text.parse(text, 'text').equals(Buffer.from(text, 'base64'));
  } catch {
    return false;
  }
}

test('base64 is decoded if it has the documented pattern', () => {
  const pattern = new RegExp(base64Text.schema.pattern ?? '');
  const digits = fc.string({ unit: fc.constantFrom('A', '9', '+', '-', '=', '\n'), maxLength: 9 });
  const padding = fc.constantFrom('', '=', '==', '===');
  fc.assert(
    fc.property(digits, padding, (text, end) => {
      expect(isDecoded(text + end)).toBe(pattern.test(text + end));
    }),
    { numRuns: 2000 },
  );
});

overOneProtocol(({ client }) => {
  test.each([
    ['d2lyZWJpbg==', TEXT, Buffer.from('wirebin')],
    ['d2lyZWJpbg', TEXT, Buffer.from('wirebin')],
    ['d2lyZWJpbg%3D%3D', TEXT, Buffer.from('wirebin')],
    ['Z3LDvG4=', TEXT, Buffer.from('grün')],
    ['-_8', BYTES, Buffer.from([0xfb, 0xff])],
    ['+%2F8=', BYTES, Buffer.from([0xfb, 0xff])],
    ['AA', TEXT, Buffer.from([0])],
    ['A'.repeat(4096), TEXT, Buffer.alloc(3072)],
  ])('RFC 4648: /base64/%.20s is decoded', async (path, type, content) => {
    for (const target of [`/base64/${path}`, `/base64/decode/${path}`]) {
      const { status, headers, body } = await client().request(target);
      expect(status).toBe(200);
      expect(headers).toMatchObject({ 'content-type': type, 'x-content-type-options': 'nosniff' });
      expect(body).toEqual(content);
    }
  });

  test.each([
    ['wirebin', 'd2lyZWJpbg=='],
    ['', ''],
    ['gr%C3%BCn', 'Z3LDvG4='],
    ['%FB%FF', '-_8='],
    ['a%2Fb', 'YS9i'],
    ['abc123%21%3F%24%2A%26%28%29%27-%3D%40~', 'YWJjMTIzIT8kKiYoKSctPUB-'],
    ['x'.repeat(4096), `${'eHh4'.repeat(1365)}eA==`],
  ])('RFC 4648 5: %.40s is encoded', async (text, digits) => {
    const { status, headers, body } = await client().request(`/base64/encode/${text}`);
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'content-type': TEXT, 'x-content-type-options': 'nosniff' });
    expect(body.toString()).toBe(digits);
    if (text === '') return;
    const decoded = await client().request(`/base64/${digits}`);
    if (digits.length <= 4096) expect(decoded.body.toString('latin1')).toBe(unescaped(text));
  });

  const page = `<img src=x onerror='a("&")'>`;
  test.each([
    ['text/html', false],
    ['text/html;charset=utf-16', false],
    ['image/svg+xml', false],
    ['application/xhtml+xml', false],
    ['text/javascript', false],
    ['what/ever', false],
    ['text/plain', true],
    ['application/json', true],
    ['image/png', true],
    ['audio/mpeg; a="b"', true],
  ])('content-type=%s is not escaped: %s', async (type, asItIs) => {
    const text = Buffer.from(page).toString('base64url');
    const target = `/base64/${text}?content-type=${encodeURIComponent(type)}`;
    const { headers, body } = await client().request(target);
    expect(headers).toMatchObject({ 'content-type': type, 'x-content-type-options': 'nosniff' });
    const shown = '&lt;img src=x onerror=&#39;a(&#34;&amp;&#34;)&#39;&gt;';
    expect(body.toString()).toBe(asItIs ? page : shown);
  });

  test.each(['', 'text', 'text/', 'a/b%0D%0AX:y', '%20a/b', 'a/b%20', 'a/b,c/d', 'a/%E2%82%AC'])(
    'content-type=%s is rejected',
    async (type) => {
      const detail = `content-type=${decodeURIComponent(type)} is not a media type`;
      await expectRefused(client(), `/base64/AA?content-type=${type}`, detail);
    },
  );

  const BROKEN = ['', 'A', 'AA=', 'AAA==', 'AA===', '====', 'AA=A', '-+AA', 'AA%20AA', 'AAA%0A'];
  test.each([...BROKEN, '%C3%A9AAA'])('/base64/%s is no base64: 400', async (text) => {
    const detail = `text=${decodeURIComponent(text)} is not base64`;
    await expectRefused(client(), `/base64/${text}`, detail);
  });

  test.each([
    ['%', 'text=% has a malformed percent-encoding'],
    ['decode/A', 'text=A is not base64'],
    ['decode/', 'text= is not base64'],
    ['encode/%zz', 'text=%zz has a malformed percent-encoding'],
    [`encode/${'x'.repeat(4097)}`, 'text has 4097 characters, the maximum is 4096'],
    ['A'.repeat(4097), 'text has 4097 characters, the maximum is 4096'],
  ])('/base64/%.20s is rejected: 400', async (path, detail) => {
    await expectRefused(client(), `/base64/${path}`, detail);
  });

  test('any other operation is 404', async () => {
    expect((await client().request('/base64/other/AA')).status).toBe(404);
  });
});
