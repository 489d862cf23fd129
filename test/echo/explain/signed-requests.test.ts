import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { explainingEcho } from '../../../src/echo/echo.ts';
import { endpoint } from '../../../src/server/endpoint.ts';
import { startAdapters } from '../../_adapters.ts';
import { isHttp2, openClient } from '../../_client.ts';
import { echoOf } from '../../_echo.ts';
import { overBothProtocols } from '../../_everywhere.ts';
import { exchange, LAST } from '../../_raw.ts';
import { EXAMPLES, TEST_CONTENT, TEST_REQUEST, TEST_TARGET } from './_rfc9421.ts';

/** The echo at the path of the examples, whose query cannot ask for an explanation. */
const foo = endpoint({
  ...explainingEcho,
  methods: ['POST'],
  path: '/foo',
  summary: 'The echo, explained.',
  query: {},
  handle: ({ request, content }) =>
    explainingEcho.handle({
      request,
      content,
      params: {},
      query: { explain: true, signature_key: undefined },
    }),
});

const signaturesOf = (content: string | Buffer) =>
  echoOf(content).explained?.find(({ field }) => field === 'Signature-Input')?.signatures;

test.each(EXAMPLES)(
  'RFC 9421 B.2: $label is verified',
  async ({ label, input, signature, lines }) => {
    const adapters = await startAdapters({}, [foo]);
    const fields = [
      ...TEST_REQUEST,
      ['Signature-Input', `${label}=${input}`] as const,
      ['Signature', `${label}=:${signature}:`] as const,
    ];
    const expected = [
      {
        label,
        base: [...lines, `"@signature-params": ${input}`].join('\n'),
        verified: true,
        key: expect.stringContaining('an example key of RFC 9421 B.1.'),
      },
    ];
    const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const bytes = `POST ${TEST_TARGET} HTTP/1.1\r\nHost: example.com\r\n${head}${LAST}\r\n${TEST_CONTENT}`;
    const received = await exchange(adapters.port, bytes);
    expect(signaturesOf(received.slice(received.indexOf('\r\n\r\n{')))).toMatchObject(expected);

    const headers = { ':authority': 'example.com', ...Object.fromEntries(fields) };
    const sent = { method: 'POST', headers, body: TEST_CONTENT };
    const answer = await openClient('h2c', adapters.port).request(TEST_TARGET, sent);
    expect(signaturesOf(answer.body)).toMatchObject(expected);
  },
);

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

overBothProtocols(({ client, transport }) => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const jwk = publicKey.export({ format: 'jwk' });

  test('with the key that the query names', async () => {
    const target = `/anything?explain&signature_key=${encoded(jwk)}`;
    const scheme = isHttp2(transport) ? 'https' : 'http';
    const input = '("@method" "@authority" "@scheme" "@path" "@query");created=1';
    const base = `"@method": PUT\n"@authority": example.com\n"@scheme": ${scheme}\n"@path": /anything\n"@query": ${target.slice('/anything'.length)}\n"@signature-params": ${input}`;
    const signature = sign(undefined, Buffer.from(base), privateKey).toString('base64');
    const name = isHttp2(transport) ? ':authority' : 'host';
    const headers = {
      [name]: 'Example.com',
      'signature-input': `a=${input}`,
      signature: `a=:${signature}:`,
    };
    const answer = await client().request(target, { method: 'PUT', headers });
    expect(signaturesOf(answer.body)).toMatchObject([
      { base, verified: true, key: 'signature_key in the query' },
    ]);
  });

  test.each([
    ['a', 'signature_key is not a JSON Web Key in base64url'],
    [
      encoded({ kty: 'RSA', n: Buffer.alloc(1024, 0xff).toString('base64url'), e: 'AQAB' }),
      'signature_key is an RSA key of 8192 bits',
    ],
    [
      encoded({ kty: 'RSA', n: Buffer.alloc(8192, 0xff).toString('base64url'), e: 'AQAB' }),
      'signature_key has more than 4096 characters',
    ],
    [encoded({ ...jwk, d: 'AA' }), 'signature_key is a private key: send the public one'],
  ])('a key that is refused: %#', async (key, detail) => {
    const answer = await client().request(`/get?explain&signature_key=${key}`);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body.toString())).toMatchObject({
      detail: expect.stringContaining(detail),
    });
  });
});
