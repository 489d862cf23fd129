import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { checkDigests } from '../../../src/echo/digest-check.ts';
import type { ExplainedField } from '../../../src/echo/explained-schema.ts';
import { EXPLAIN_BOUNDS } from '../../../src/echo/explain/bounds.ts';
import { explainFields } from '../../../src/echo/explain/message-fields.ts';
import { explainableFields } from '../../../src/echo/explain/fields.ts';
import type { FieldLines } from '../../../src/http/fields.ts';
import { FakeExchange } from '../../_exchange.ts';

const NOW = Date.UTC(2026, 0, 1) / 1000;

function explained(fields: FieldLines, content = '', method = 'GET'): readonly ExplainedField[] {
  const request = new FakeExchange('/anything', { method, fields });
  return explainFields(request, checkDigests(request, Buffer.from(content)), NOW);
}

const OF_RESPONSES = 'It is a response field, and has no meaning in a request.';

/** The problems of the first field, without the one that it is of responses. */
function problems(fields: FieldLines, content = ''): readonly string[] {
  return explained(fields, content)[0]?.problems.filter((text) => text !== OF_RESPONSES) ?? [];
}

const digest = (content: string): string => createHash('sha256').update(content).digest('base64');

describe('without problems', () => {
  test.each<[name: string, value: string, meaning: readonly string[]]>([
    [
      'Priority',
      'u=5, i',
      [
        'Urgency 5: 0 is the highest, 7 is for background tasks.',
        'Each part of the response can be used as it arrives (incremental).',
      ],
    ],
    [
      'Incremental',
      '?1',
      ['Intermediaries should forward the content as it arrives, and not buffer it whole.'],
    ],
    ['Incremental', '?0', ['Intermediaries may buffer the content whole, as by default.']],
    [
      'Content-Digest',
      `sha-256=:${digest('hi')}:`,
      ['The content matches the digest of "sha-256".'],
    ],
    ['Repr-Digest', `sha-256=:${digest('hi')}:`, ['The content matches the digest of "sha-256".']],
    [
      'Want-Content-Digest',
      'sha-512=3, sha-256=10',
      ['"sha-512": preference 3 of 10.', '"sha-256": preference 10 of 10.'],
    ],
    ['Want-Repr-Digest', 'sha-512=0', ['"sha-512": not acceptable.']],
    [
      'Accept-Signature',
      'sig1=("@method" "a";sf);created;keyid="k"',
      [
        'A signature "sig1" that covers "@method" "a";sf is requested, with its creation time, with the key "k".',
      ],
    ],
    [
      'Signature-Agent',
      'a="https://a.example/card";type=cimd',
      [
        '"a" names "https://a.example/card" as the source of the keys: a Client ID Metadata Document at this URI.',
      ],
    ],
    ['Client-Cert', ':AAEC:', ['A client certificate in DER, 3 bytes.']],
    ['Capsule-Protocol', '?1', ['The content uses the Capsule Protocol.']],
    [
      'Sec-CH-UA',
      '"A";v="1", "B";v="2"',
      ['The brand "A", version "1".', 'The brand "B", version "2".'],
    ],
    ['Sec-CH-UA-Mobile', '?0', ['Not on a mobile device.']],
    ['Sec-CH-UA-Platform', '"Linux"', ['On the platform "Linux".']],
    ['Sec-Fetch-Site', 'none', ['The user made the request, not a page.']],
    ['Sec-Fetch-Dest', 'image', ['For the destination "image".']],
  ])('%s: %s', (name, value, meaning) => {
    const fields = explained([name, value], 'hi');
    expect(fields).toMatchObject([{ field: name, section: 'header', meaning, problems: [] }]);
  });

  test.each<[name: string, value: string, meaning: readonly string[]]>([
    [
      'Cache-Status',
      'Origin; hit; ttl=1100, "CDN"; fwd=uri-miss; fwd-status=304; stored; collapsed=?0',
      [
        'The cache "Origin": answered from the cache; fresh for another 1100 seconds.',
        'The cache "CDN": forwarded, because nothing was stored for its URI; the next hop answered 304; the response was stored; collapsed with another request, whose response could not be used.',
      ],
    ],
    [
      'Cache-Groups',
      '"a", "b"',
      ['The response belongs to the group "a".', 'The response belongs to the group "b".'],
    ],
    [
      'Proxy-Status',
      'cdn; error=tls_alert_received; alert-id=40; next-protocol=h2; received-status=502',
      [
        'The intermediary "cdn": the next hop sent a TLS alert; TLS alert 40; next hop over "h2"; the next hop answered 502.',
      ],
    ],
    [
      'Deprecation',
      '@1767139200',
      ['The resource was deprecated on 2025-12-31T00:00:00Z, 1 day ago.'],
    ],
    [
      'Sunset',
      'Thu, 01 Jan 2026 02:00:00 GMT',
      ['The resource is expected to be gone at 2026-01-01T02:00:00Z, in 2 hours.'],
    ],
    [
      'Use-As-Dictionary',
      'match="/app/*", match-dest=("script"), id="1"',
      [
        'The response is a dictionary for URLs like "/app/*".',
        'For requests with the destination "script".',
        'Its identifier is "1".',
      ],
    ],
    [
      'Accept-Query',
      '"a/b", c/d',
      [
        'The resource accepts QUERY with content of the type "a/b".',
        'The resource accepts QUERY with content of the type "c/d".',
      ],
    ],
  ])('of a response, %s: %s', (name, value, meaning) => {
    expect(explained([name, value])).toMatchObject([
      { field: name, meaning, problems: [OF_RESPONSES] },
    ]);
  });

  test('RFC 9875 3: Cache-Group-Invalidation is for methods that are not safe', () => {
    const fields = ['Cache-Group-Invalidation', '"a"'];
    expect(explained(fields, '', 'POST')[0]?.problems).toEqual([OF_RESPONSES]);
    expect(problems(fields)).toEqual([
      'Caches ignore it in the response to GET, which is a safe method.',
    ]);
  });

  test('RFC 9842 2.2, 2.3: a dictionary that the client has', () => {
    const hash = `:${digest('hi')}:`;
    const fields = [
      'Available-Dictionary',
      hash,
      'Dictionary-ID',
      '"1"',
      'Accept-Encoding',
      'gzip, dcb',
    ];
    expect(explained(fields)).toMatchObject([
      { meaning: [expect.stringMatching(/^The client has .* SHA-256 is "8f434346/)], problems: [] },
      { meaning: ['The server gave the dictionary the identifier "1".'], problems: [] },
    ]);
  });
});

describe('problems', () => {
  test.each<[name: string, value: string, ...RegExp[]]>([
    [
      'Priority',
      'u=8, i=1, x',
      /^u is 8, but has to be from 0 to 7/,
      /^i is of type integer/,
      /"x" is unknown/,
    ],
    ['Priority', 'u=(1)', /^u is an inner list: it is ignored/],
    ['Priority', 'u=1,', /malformed: it is not a dictionary \(RFC 9651 4\.2\)/],
    ['Incremental', '1;a', /"a" is unknown/, /is ignored: its value is of type integer/],
    ['Incremental', '?1, ?1', /malformed: it is not an item/],
    [
      'Content-Digest',
      'sha-256=:AAAA:',
      /has 32 bytes, but this one has 3/,
      /^"sha-256" of the content is :j0NDR/,
    ],
    [
      'Content-Digest',
      'md5=:AAAA:, x=:AAAA:',
      /"md5" is deprecated/,
      /^"md5" of the content/,
      /"x" is not registered/,
    ],
    ['Content-Digest', 'sha-256=1', /has to be bytes/],
    ['Want-Content-Digest', 'sha-256=11, sha-512=(1)', /is 11/, /is an inner list/],
    ['Available-Dictionary', ':AA==:', /but this one has 1\.$/, /neither dcb nor dcz/],
    ['Available-Dictionary', '"a"', /is of type string/],
    ['Dictionary-ID', 'a', /is of type token/],
    [
      'Dictionary-ID',
      `"${'a'.repeat(1025)}"`,
      /more than 1024/,
      /Available-Dictionary, which is missing/,
    ],
    [
      'Use-As-Dictionary',
      'type=x, y',
      /only format is raw/,
      /"y" is unknown/,
      /`match` is required/,
    ],
    ['Cache-Status', 'a; hit; fwd=miss', /hit and fwd exclude each other/],
    [
      'Cache-Status',
      'a; stored; fwd-status=99',
      /fwd-status is 99/,
      /fwd-status has meaning only/,
      /stored has meaning/,
    ],
    ['Cache-Status', '(a), 1', /string or a token/, /string or a token/],
    [
      'Cache-Status',
      'a; fwd=x; y; hit=1',
      /fwd is "x", which is unknown/,
      /"y" is unknown/,
      /hit is of type/,
    ],
    [
      'Cache-Groups',
      `a, "${'b'.repeat(33)}";c`,
      /has to be a string/,
      /"c" is unknown/,
      /longer than the 32/,
    ],
    ['Cache-Groups', Array.from({ length: 33 }, () => '"a"').join(), /more groups than the 32/],
    [
      'Proxy-Status',
      'a; error=x; next-protocol=1',
      /error is "x"/,
      /next-protocol is of type integer/,
    ],
    ['Deprecation', '?1', /has to be a date/],
    ['Sunset', 'tomorrow', /malformed: it is not an HTTP-date \(RFC 9110 5\.6\.7\)/],
    ['Accept-Query', 'a, (b)', /"a" is not a media range/, /string or a token/],
    [
      'Signature',
      'a=1, b=:AA==:;c',
      /"a" has to be bytes/,
      /"c" is unknown/,
      /Signature-Input has no signature "a"/,
      /Signature-Input has no signature "b"/,
    ],
    [
      'Signature-Input',
      'a=1, b=()',
      /"a" has to be an inner list/,
      /^Signature has no signature "a"/,
      /^Signature has no signature "b"/,
    ],
    [
      'Accept-Signature',
      'a, b=();x;created=1',
      /"a" has to be an inner list/,
      /"x" is unknown/,
      /created is of type integer/,
    ],
    ['Signature-Agent', '"http://a.example"', /scheme https/, /have to send a dictionary/],
    [
      'Signature-Agent',
      'a=(1), b=1, c="https://c";type=x',
      /"a" has to be a string/,
      /"b" is of type integer/,
      /type is "x", which is unknown/,
    ],
    ['Signature-Agent', 'a="https://a/b", b="https://b/"', /^"a" has to be an origin/],
    ['Signature-Agent', '"a', /malformed/],
    ['Client-Cert', '1;a', /"a" is unknown/, /is of type integer/],
    ['Client-Cert-Chain', ':AA==:, (1)', /inner list/, /Client-Cert, which is missing/],
    ['Sec-CH-UA', 'a, "b"', /has to be a string/],
    ['Sec-Fetch-Site', 'elsewhere', /"elsewhere", which is unknown/],
    ['Sec-Fetch-Site', '"none"', /is of type string, but has to be a token/],
    ['Sec-CH-UA-Mobile', '1', /is of type integer, but has to be a boolean/],
    ['Sec-CH-UA-Platform', 'Linux', /is of type token, but has to be a string/],
  ])('%s: %s', (name, value, ...patterns) => {
    const found = problems([name, value], 'hi');
    expect(found).toEqual(patterns.map((pattern) => expect.stringMatching(pattern)));
  });

  test('RFC 9745 4: no sunset before deprecation', () => {
    const sunset = ['Sunset', 'Thu, 01 Jan 2026 02:00:00 GMT', 'Deprecation', '@1767312000'];
    expect(problems(sunset)).toEqual(['It is earlier than the date of Deprecation (RFC 9745 4).']);
  });
});

test('in the order in which they arrived, lines combined, with the type and where it is from', () => {
  const fields = [
    'X-A',
    '1',
    'cache-status',
    'a',
    'PRIORITY',
    'u=1',
    'Cache-Status',
    'b',
    'priority',
    'i',
  ];
  expect(explained(fields)).toMatchObject([
    {
      field: 'Cache-Status',
      type: 'list',
      reference: 'RFC 9211 2',
      value: [
        [{ value: 'a' }, []],
        [{ value: 'b' }, []],
      ],
    },
    {
      field: 'Priority',
      type: 'dictionary',
      reference: 'RFC 9218 4',
      value: [
        ['u', [1, []]],
        ['i', [true, []]],
      ],
    },
  ]);
});

describe('bounds', () => {
  test('of the characters of all fields, and of the members of one', () => {
    const { characters, separators } = EXPLAIN_BOUNDS;
    const many = Array.from({ length: separators + 2 }, () => 'a').join();
    const long = `a="${'b'.repeat(characters)}"`;
    const fields = ['Cache-Status', many, 'Priority', long, 'Proxy-Status', 'a'];
    expect(explained(fields)).toMatchObject([
      { value: null, problems: [expect.stringContaining('not explained')] },
      { value: null, problems: [expect.stringContaining('not explained')] },
      { meaning: ['The intermediary "a": it handled the response.'] },
    ]);
  });

  test('of the sentences about one', () => {
    const [field] = explained([
      'Priority',
      Array.from({ length: 100 }, (_, at) => `a${at}`).join(),
    ]);
    expect(field?.problems).toHaveLength(33);
    expect(field?.problems.at(-1)).toBe('68 more are not shown.');
  });

  test.each([...explainableFields.values()].map(({ name }) => name))(
    'of the JSON of %s',
    (name) => {
      for (const part of ['a;b', '("a";b c)', ':AA==:', 'a=(1)', '@1']) {
        const text = Array.from({ length: 250 }, () => part).join();
        const json = JSON.stringify(explained([name, text]));
        expect(json.length).toBeLessThan(48 * EXPLAIN_BOUNDS.separators);
      }
    },
  );
});

test.each([
  ['dcb', true],
  ['gzip, DCZ;q=0.5', true],
  ['*', true],
  ['dcb;q=0, dcz;q=0', false],
  ['dcb-2', false],
  ['*;q=0', false],
  ['', false],
])('RFC 9842 6.1: Accept-Encoding: %s allows a dictionary: %s', (accepted, isAllowed) => {
  const hash = `:${Buffer.alloc(32).toString('base64')}:`;
  const found = problems(['Available-Dictionary', hash, 'Accept-Encoding', accepted]);
  expect(found).toEqual(isAllowed ? [] : [expect.stringContaining('neither dcb nor dcz')]);
});

test('RFC 9530 2: a field with another value than bytes is ignored, also its other digests', () => {
  const [field] = explained(['Content-Digest', 'sha-256=1, sha-512=:AAAA:']);
  expect(field?.meaning).toEqual([
    'The digest of "sha-512" was not checked: the field is ignored.',
  ]);
});

test.each([
  ['Cache-Status', 'a;ttl=1', 'The cache "a": fresh for another 1 second.'],
  ['Cache-Status', 'a;ttl=-1', 'The cache "a": stale for 1 second.'],
  ['Signature', 'a=:AA==:', 'The signature "a" has 1 byte.'],
  ['Client-Cert', ':AA==:', 'A client certificate in DER, 1 byte.'],
])('one is no plural: %s: %s', (name, value, meaning) => {
  expect(explained([name, value])[0]?.meaning).toEqual([meaning]);
});
