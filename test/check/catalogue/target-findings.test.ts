import { expect, test } from 'vitest';
import { checks } from '../../../src/check/catalogue/all.ts';
import { issue, makeAuthority } from '../../_certificates.ts';
import { valueOf } from '../../../src/check/message.ts';
import type { CacheRules } from '../_cache.ts';
import { bench, those } from '../_run.ts';
import type { ClientRequest, Deviation } from '../_gateway-messages.ts';
import { changingPaths, onRequest } from '../_wrong.ts';

const started = bench();

const RAW = 'the origin received raw bytes in the path, and refused them with 400';

test('a gateway that decodes paths is found, with what the origin receives', async () => {
  const deviation = changingPaths((path) =>
    Buffer.from(decodeURIComponent(path)).toString('latin1'),
  );
  const gateway = await started().gateway({ scheme: 'http' }, { deviation });
  const chosen = checks.filter(({ id }) =>
    /^target\/(?:encoded-utf8|hex-case|encoded-question)$/.test(id),
  );
  const { results } = await started().run(gateway, chosen);
  const words = results
    .filter(({ front }) => front === 'http/1.1')
    .map(({ id, outcome, level, expected, found }) => [id, outcome, level, expected, found]);
  expect(words).toEqual([
    ['target/encoded-question', 'fail', 'quality', '/anything/a%3Fb', '/anything/a?b'],
    ['target/encoded-utf8', 'fail', 'quality', '/anything/caf%C3%A9', RAW],
    ['target/hex-case', 'fail', 'quality', '/anything/caf%c3%a9', RAW],
  ]);
});

const MORE = 'the origin refuses more';

test.each<[what: string, deviation: Deviation, target: unknown, field: unknown]>([
  [
    'none of its own',
    {},
    ['pass', `at least 16384 bytes: ${MORE}`],
    ['pass', `at least 30720 bytes: ${MORE}`],
  ],
  [
    '10,000 bytes',
    {
      refuses: ({ target, fields }) =>
        target.length > 10_000 || fields.some(([, value]) => value.length > 10_000)
          ? 414
          : undefined,
    },
    ['pass', 'about 9216 bytes, then 414'],
    ['pass', 'about 9216 bytes, then 414'],
  ],
  [
    '5,000 bytes of a value, and cuts what is longer',
    onRequest((request) => {
      request.fields = request.fields.map(([name, value]) => [name, value.slice(0, 5000)]);
    }),
    ['pass', `at least 16384 bytes: ${MORE}`],
    ['fail', 'a value of 8192 bytes: the request is forwarded with 5000 of them'],
  ],
  [
    'none of its own, but fields that fill what the origin accepts',
    onRequest((request) => void request.fields.push(['X-More', 'x'.repeat(29_000)])),
    ['not-applicable', `at least 3328 bytes: ${MORE}`],
    ['pass', `at least 3328 bytes: ${MORE}`],
  ],
])('the limit of a gateway that has %s', async (_what, deviation, ...verdicts) => {
  const gateway = await started().gateway({ scheme: 'http' }, { deviation });
  const chosen = checks.filter(({ id }) => id === 'limit/target' || id === 'limit/field');
  const { results } = await started().run(gateway, chosen);
  const found = results
    .filter(({ front }) => front === 'http/1.1')
    .map(({ outcome, found: words, reason }) => [outcome, words ?? reason]);
  expect(found).toEqual(verdicts);
});

const FORWARDED = 'the request was forwarded to the origin';

test.each([
  ['HTTP/1.1', false, `${FORWARDED} without the field`],
  ['HTTP/2', true, `${FORWARDED}, whose echo lacks the field`],
])('a malformed field that is dropped before an origin on %s', async (_protocol, ...rest) => {
  const [hasHttp2Origin, dropped] = rest;
  const deviation: Deviation = {
    readHead: (text) => text.replace(/^X-Check-Space : a\r\n/m, ''),
    frames: {
      fields: (fields) =>
        fields
          .filter(([name]) => name !== 'x check')
          .map(([name, value]) => [name.toLowerCase(), value]),
    },
  };
  const setup = { scheme: 'http', hasHttp2Origin } as const;
  const gateway = await started().gateway(setup, { deviation });
  const chosen = checks.filter(({ id }) =>
    /^(?:framing\/space-before-colon|h2\/uppercase|h2\/name-space)$/.test(id),
  );
  const { results } = await started().run(gateway, chosen);
  expect(results.map(({ id, found }) => [id, found])).toEqual([
    ['framing/space-before-colon', dropped],
    ['h2/uppercase', FORWARDED],
    ['h2/name-space', dropped],
  ]);
});

const isOther = ({ fields }: ClientRequest): boolean =>
  valueOf(fields, 'authorization') !== 'Bearer check-first';

test('a finding on a cache shows the response that it has reused', async () => {
  const cache: CacheRules = { lifetime: (_seconds, request) => (isOther(request) ? 60 : 0) };
  const setup = { scheme: 'http', hasCache: true } as const;
  const gateway = await started().gateway(setup, { deviation: { cache } });
  const chosen = checks.filter(({ id }) => id === 'cache/authorization');
  const { results } = await started().run(gateway, chosen);
  const sent = results.map(({ evidence }) =>
    evidence.map((each) => /^ *authorization: (.*?)\r?$/im.exec(each.sent)?.[1]),
  );
  expect(sent).toEqual([
    ['Bearer check-second', undefined],
    ['Bearer check-second', undefined],
  ]);
  expect(those(results, 'fail')).toHaveLength(2);
});

test.each([
  ['', 'not-applicable', 'and without trailers too: see content/upload-unknown-length'],
  ['text/plain', 'fail', 'and without trailers too if there is no Content-Type'],
])('content without a length is lost, but with the type %j', async (kept, outcome, words) => {
  const loses = ({ framing, fields }: ClientRequest): boolean =>
    framing === 'chunked' && valueOf(fields, 'content-type') !== kept;
  const deviation: Deviation = {
    waitsForRequest: loses,
    request: (request, client) => {
      if (loses(client)) Object.assign(request, { content: Buffer.alloc(0), trailers: [] });
    },
  };
  const gateway = await started().gateway({ scheme: 'http' }, { deviation });
  const chosen = checks.filter(({ id }) => id === 'trailer/request');
  const { results } = await started().run(gateway, chosen);
  const found = `0 of 7 bytes of content arrive, answered with 200, ${words}`;
  expect(results.map((each) => [each.outcome, each.found ?? each.reason])).toEqual([
    [outcome, found],
    [outcome, found],
  ]);
});

test('findings on certificates show what the handshake did', async () => {
  const options = await issue('other.example', { by: await makeAuthority('Authority') });
  const setup = { scheme: 'https' } as const;
  const gateway = await started().gateway(setup, { deviation: { tls: { options } } });
  const chosen = checks.filter(({ id }) => id.startsWith('tls/certificate-'));
  const { results } = await started().run(gateway, chosen);
  const shown = expect.stringMatching(
    /^the handshake is complete: TLSv1\.3.*\ncertificate 1: CN=other\.example\n {2}names: DNS:client\.example\n {2}issuer: CN=Authority\n {2}valid from .+ to .+$/,
  );
  const found = results.map((each) => [
    each.id,
    each.outcome,
    each.found,
    each.evidence[0]?.received,
  ]);
  expect(found).toEqual([
    ['tls/certificate-name', 'fail', expect.stringContaining('DNS:client.example'), shown],
    ['tls/certificate-chain', 'differs', expect.stringContaining('CN=Authority'), shown],
  ]);
});

test('a response of the gateway itself is named by its status', async () => {
  const deviation: Deviation = {
    waitsForResponse: () => true,
    response: (response, { method }) => {
      response.status = 500;
      response.fields = [['Content-Length', '124']];
      response.content = Buffer.alloc(124);
      if (method !== 'HEAD') response.framing = { length: 124 };
    },
  };
  const gateway = await started().gateway({ scheme: 'http' }, { deviation });
  const { facts } = await started().reference({ scheme: 'http' }, []);
  const chosen = checks.filter(({ id }) =>
    /^(?:method\/head|response\/204-without-content|response\/field-vary)$/.test(id),
  );
  const { results } = await started().run(gateway, chosen, facts, 500);
  const words = results
    .filter(({ front }) => front === 'h2')
    .map(({ id, outcome, expected, found }) => [id, outcome, expected, found]);
  expect(words).toEqual([
    ['method/head', 'fail', '200 with Content-Length: 1000', '500 with Content-Length: 124'],
    [
      'response/204-without-content',
      'fail',
      '204 without Content-Length (RFC 9110 8.6)',
      '500 with Content-Length: 124',
    ],
    ['response/field-vary', 'fail', 'X-Check, Accept-Language, Origin', '500 without the field'],
  ]);
});
