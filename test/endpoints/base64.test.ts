import { expect, test } from 'vitest';
import { everywhere } from '../_everywhere.ts';

const TEXT = 'text/plain; charset=utf-8';
const OCTETS = 'application/octet-stream';

everywhere(({ client }) => {
  test.each([
    ['d2lyZWJpbg==', TEXT, Buffer.from('wirebin')],
    ['d2lyZWJpbg', TEXT, Buffer.from('wirebin')],
    ['d2lyZWJpbg%3D%3D', TEXT, Buffer.from('wirebin')],
    ['Z3LDvG4=', TEXT, Buffer.from('grün')],
    ['-_8', OCTETS, Buffer.from([0xfb, 0xff])],
    ['+%2F8=', OCTETS, Buffer.from([0xfb, 0xff])],
    ['AA', TEXT, Buffer.from([0])],
    ['A'.repeat(4096), TEXT, Buffer.alloc(3072)],
  ])('RFC 4648: /base64/%.20s is decoded', async (path, type, content) => {
    const { status, headers, body } = await client().request(`/base64/${path}`);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe(type);
    expect(body).toEqual(content);
  });

  test.each([
    ['', 'text= is no base64'],
    ['A', 'text=A is no base64'],
    ['AA=', 'text=AA= is no base64'],
    ['AAA==', 'text=AAA== is no base64'],
    ['AA===', 'text=AA=== is no base64'],
    ['====', 'text===== is no base64'],
    ['AA=A', 'text=AA=A is no base64'],
    ['-+AA', 'text=-+AA is no base64'],
    ['AA%20AA', 'text=AA AA is no base64'],
    ['AAA%0A', 'text=AAA\n is no base64'],
    ['%C3%A9AAA', 'text=éAAA is no base64'],
    ['%', 'text=% has a malformed percent-encoding'],
    ['A'.repeat(4097), 'text of 4097 characters exceeds the maximum of 4096'],
  ])('/base64/%.20s is refused: 400', async (path, detail) => {
    const { status, headers, body } = await client().request(`/base64/${path}`);
    expect(status).toBe(400);
    expect(headers['content-type']).toBe('application/problem+json');
    expect(JSON.parse(body.toString())).toMatchObject({
      type: '/problems/invalid-parameter',
      detail,
    });
  });
});
