import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { EXPLAIN_BOUNDS } from '../../../src/echo/explain/bounds.ts';
import { explainFields } from '../../../src/echo/explain/message-fields.ts';
import { explainSignatures } from '../../../src/echo/explain/signatures.ts';
import type { ExplainedSignature } from '../../../src/echo/explained-schema.ts';
import { keyOf, type NamedKey } from '../../../src/http/message-signatures/verification-key.ts';
import { FakeExchange } from '../../_exchange.ts';

const NOW = 1_800_000_000;
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const jwk = { ...publicKey.export({ format: 'jwk' }) };

function readKey(): NamedKey {
  const read = keyOf(jwk);
  if (typeof read === 'string') throw new Error(read);
  return read;
}
const key = readKey();

interface Signed {
  readonly fields?: readonly string[];
  readonly trailers?: readonly string[];
  readonly target?: string;
  readonly given?: NamedKey | undefined;
  /** The base that is signed; undefined if the signature is no signature at all. */
  readonly base?: string;
}

function signatureFields(input: string, signature: Buffer): readonly string[] {
  const text = `s=:${signature.toString('base64')}:`;
  return ['Signature-Input', `s=${input}`, 'Signature', text];
}

/** The first signature of a request with this member of Signature-Input. */
async function explained(
  input: string,
  signed: Signed = {},
): Promise<ExplainedSignature | undefined> {
  const { fields = [], trailers = [], target = '/anything?a=1', base } = signed;
  const signature =
    base === undefined ? Buffer.from('x') : sign(undefined, Buffer.from(base), privateKey);
  const request = new FakeExchange(target, {
    fields: ['Host', 'example.com', ...signatureFields(input, signature), ...fields],
    trailers,
  });
  const given = 'given' in signed ? signed.given : key;
  const [first] = await explainSignatures(request, given, NOW);
  return first;
}

const TIMES = `created=${NOW - 60};expires=${NOW + 60}`;

test('components, parameters, base, and what they mean', async () => {
  const input = `("@method" "@target-uri" "x";sf);${TIMES};nonce="n";tag="t";keyid="k"`;
  const base = [
    '"@method": GET',
    '"@target-uri": http://example.com/anything?a=1',
    '"priority";sf: u=1, i',
    `"@signature-params": ${input.replace('"x"', '"priority"')}`,
  ].join('\n');
  const priority = ['Priority', 'u=1,  i'];
  const found = await explained(input.replace('"x"', '"priority"'), { fields: priority, base });
  expect(found).toEqual({
    label: 's',
    components: ['"@method"', '"@target-uri"', '"priority";sf'],
    parameters: { created: NOW - 60, expires: NOW + 60, nonce: 'n', tag: 't', keyid: 'k' },
    base,
    verified: true,
    key: 'signature_key in the query',
    meaning: [
      'Created at 2027-01-15T07:59:00Z, 1 minute ago.',
      'Expires at 2027-01-15T08:01:00Z, in 1 minute.',
      'The nonce, to be accepted only once, is "n".',
      'The tag, which names the application, is "t".',
      'The key is named "k".',
    ],
    problems: [],
  });
});

test('a component of the trailer section', async () => {
  const input = `("x";tr);created=${NOW}`;
  const base = `"x";tr: 1\n"@signature-params": ${input}`;
  expect(await explained(input, { trailers: ['X', '1'], base })).toMatchObject({
    base,
    verified: true,
  });
});

describe('not verified', () => {
  test.each([
    ['("x")', key, null, 'there is no signature base: "x": the request has no such field'],
    [
      '("@path");keyid="mine"',
      undefined,
      null,
      'the key is unknown: wirebin knows the example keys of RFC 9421 B.1, and the key in signature_key',
    ],
    ['("@path")', key, false, 'it is not the ed25519 signature of this base by this key'],
    ['("@path");alg="rsa-pss-sha512"', key, false, 'the key is not for rsa-pss-sha512'],
    ['("@path");alg="x"', key, false, 'the algorithm "x" is not registered (RFC 9421 6.2)'],
    [
      '("@path");keyid="test-key-rsa"',
      undefined,
      false,
      'it is not the rsa-v1_5-sha256 signature of this base by this key',
    ],
  ])('%s', async (input, given, verified, reason) => {
    expect(await explained(input, { given })).toMatchObject({ verified, reason });
  });

  test('without a signature of the label', async () => {
    const fields = ['Host', 'a', 'Signature-Input', 'a=()', 'Signature', 'b=:AA==:'];
    const found = await explainSignatures(new FakeExchange('/', { fields }), key, NOW);
    expect(found).toMatchObject([
      { verified: false, reason: 'Signature has no byte sequence with this label' },
    ]);
  });
});

describe('problems', () => {
  test.each([
    [`("@path");created=${NOW + 1}`, 'Its creation time is in the future.'],
    [
      `("@path");created=${NOW};expires=${NOW - 1}`,
      'It has expired.',
      'Its expiration time is not after its creation time.',
    ],
    [
      `("@path");created=${NOW};expires=${NOW}`,
      'Its expiration time is not after its creation time.',
    ],
    ['("@path")', '`created` is recommended (RFC 9421 2.3).'],
    [`();created=${NOW}`, 'No component is covered: it fits any request (RFC 9421 7.2.1).'],
    [`("@path");created=${NOW};x`, 's: the parameter "x" is unknown, and ignored.'],
    [`("@path");created=${NOW};keyid=a`, 's: keyid is of type token, but has to be a string.'],
    [`("@path");created=${NOW};alg="x"`, 'The algorithm "x" is not registered (RFC 9421 6.2).'],
  ])('%s', async (input, ...problems) => {
    expect((await explained(input))?.problems).toEqual(problems);
  });

  test('RFC 9421 7.2.8: content that is not covered', async () => {
    const { Readable } = await import('node:stream');
    const fields = ['Host', 'a', 'Signature-Input', `a=("@path");created=${NOW}`];
    const request = new FakeExchange('/', { method: 'POST', fields, incoming: Readable.from([]) });
    expect(await explainSignatures(request, key, NOW)).toMatchObject([
      { problems: ['The content is not covered: cover Content-Digest (RFC 9421 7.2.8).'] },
    ]);
  });
});

describe('Web Bot Auth', () => {
  const agent = ['Signature-Agent', 's="https://bot.example"'];
  const good = `("@authority" "signature-agent";key="s");${TIMES};keyid="${key.thumbprint}";tag="web-bot-auth"`;

  test('a signature as it has to be', async () => {
    const base = `"@authority": example.com\n"signature-agent";key="s": "https://bot.example"\n"@signature-params": ${good}`;
    expect(await explained(good, { fields: agent, base })).toMatchObject({
      verified: true,
      problems: [],
      meaning: expect.arrayContaining([
        'It identifies an automated client (Web Bot Auth, draft-ietf-webbotauth-httpsig-protocol).',
        'Signature-Agent names "https://bot.example" as the source of the keys: wirebin does not fetch them, since it opens no connections.',
      ]),
    });
  });

  test.each<[string, readonly string[], ...string[]]>([
    [
      good.replace('"@authority"', '"@path"'),
      agent,
      '@authority or @target-uri has to be covered.',
    ],
    [good.replace(`;expires=${NOW + 60}`, ''), agent, 'expires is required.'],
    [
      good.replace(String(NOW + 60), String(NOW + 86_400)),
      agent,
      'it should expire within 24 hours.',
    ],
    [
      good.replace(key.thumbprint, 'k'),
      agent,
      'keyid has to be the SHA-256 thumbprint of a JSON Web Key in base64url (RFC 7638).',
    ],
    [
      good.replace(key.thumbprint, 'A'.repeat(43)),
      agent,
      `keyid is not the thumbprint of the key, ${key.thumbprint}.`,
    ],
    [good, [], 'Signature-Agent is missing.'],
    [
      good,
      ['Signature-Agent', 'a="https://bot.example"'],
      'Signature-Agent has no member "s" that is a string.',
    ],
    [
      good.replace(' "signature-agent";key="s"', ''),
      agent,
      '"signature-agent";key="s" has to be covered.',
    ],
    [
      good.replace(' "signature-agent";key="s"', ''),
      ['Signature-Agent', '"https://bot.example"'],
      '"signature-agent" has to be covered.',
    ],
  ])('a rule that is violated: %#', async (input, fields, ...problems) => {
    const all = problems.map((problem) => `Web Bot Auth: ${problem}`);
    expect((await explained(input, { fields }))?.problems).toEqual(all);
  });

  test('not of a shared secret', async () => {
    const given = keyOf({ kty: 'oct', k: 'AAEC' });
    if (typeof given === 'string') throw new Error(given);
    const input = good.replace(key.thumbprint, given.thumbprint);
    expect((await explained(input, { fields: agent, given }))?.problems).toEqual([
      'Web Bot Auth: shared secrets must not be used.',
    ]);
  });
});

/** Explains a request with many signatures. @param more further fields */
async function many(count: number, input: string, more: readonly string[] = []) {
  const labels = Array.from({ length: count }, (_, at) => `s${at}=${input}`).join();
  const signatures = Array.from({ length: count }, (_, at) => `s${at}=:AA==:`).join();
  const fields = ['Host', 'a', 'Signature-Input', labels, 'Signature', signatures, ...more];
  return explainSignatures(new FakeExchange('/', { fields }), key, NOW);
}

describe('bounds', () => {
  test('of signatures', async () => {
    expect(await many(100, '("@path")')).toHaveLength(EXPLAIN_BOUNDS.signatures);
  });

  test.each([
    [8, []],
    [9, ['Only the first 8 signatures are verified: 1 more is not shown.']],
    [11, ['Only the first 8 signatures are verified: 3 more are not shown.']],
  ])('of %i signatures, Signature-Input says how many are left out', (count, problems) => {
    const labels = Array.from({ length: count }, (_, at) => `s${at}`);
    const inputs = labels.map((label) => `${label}=("@path")`).join();
    const signatures = labels.map((label) => `${label}=:AA==:`).join();
    const fields = ['Signature-Input', inputs, 'Signature', signatures];
    const [input] = explainFields(new FakeExchange('/', { fields }), undefined, NOW);
    expect(input?.problems).toEqual(problems);
  });

  test('of components', async () => {
    const input = Array.from({ length: EXPLAIN_BOUNDS.components + 1 }, (_, at) => `"x${at}"`).join(
      ' ',
    );
    const [found] = await many(1, `(${input})`);
    expect(found).toMatchObject({ base: null, reason: expect.stringContaining('more than 64') });
    expect(found?.components).toHaveLength(EXPLAIN_BOUNDS.components);
  });

  test('of all bases together', async () => {
    const found = await many(8, '("x")', ['X', 'x'.repeat(20_000)]);
    const lengths = found.map(({ base }) => base?.length ?? 0);
    expect(lengths.filter((length) => length > 0)).toHaveLength(3);
    expect(Math.max(...lengths)).toBeLessThan(EXPLAIN_BOUNDS.bases);
  });

  test('of time: each field is read once, and each dictionary', async () => {
    const members = Array.from({ length: 2000 }, (_, at) => `k${at}`);
    const covered = members
      .slice(0, 64)
      .map((name) => `"d";key="${name}"`)
      .join(' ');
    const lines = Array.from({ length: 1500 }, (_, at) => [`x${at}`, '1']).flat();
    const start = process.cpuUsage();
    await many(8, `(${covered})`, ['D', members.join(), ...lines]);
    const { user } = process.cpuUsage(start);
    expect(user / 1000).toBeLessThan(200);
  });
});
