import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { faultKinds } from '../../../src/endpoints/fault/kinds.ts';
import { FAULT_NAMES } from '../../../src/server/fault.ts';
import { until } from '../../_adapters.ts';
import { openClient, transports } from '../../_client.ts';
import { outcomeOf } from '../../_ending.ts';
import { sharedPlace } from '../../_everywhere.ts';
import { rounds } from '../../_whole.ts';

const { running } = sharedPlace('http/1.1', '--max-duration', '1', '--allow-raw', '--tap');

/** What a query may contain (RFC 3986 3.4). */
const queryCharacter = fc.oneof(
  fc.constantFrom(...Array.from("abcXYZ019-._~!$&'()*+,;=:@/?")),
  fc.nat({ max: 0xff }).map((byte) => `%${byte.toString(16).padStart(2, '0')}`),
);

/** Values of any parameter, most of them valid for one. */
const value = fc.oneof(
  fc.constantFrom(
    ...new Set(
      FAULT_NAMES.flatMap((name) =>
        Object.values(faultKinds(1)[name].endpoint.query).flatMap(({ schema }) =>
          (schema.enum ?? schema.examples ?? []).map(String),
        ),
      ),
    ),
  ),
  fc.constantFrom('0', '1', '0.01', '100%', '10485760', '204', '304', '599', '-1', '1e9', ''),
  fc.nat().map(String),
  fc.string({ unit: queryCharacter, maxLength: 20 }),
);
const name = fc.constantFrom(
  ...new Set(FAULT_NAMES.flatMap((kind) => Object.keys(faultKinds(1)[kind].endpoint.query))),
);
const input = fc.record({
  path: fc.constantFrom(...FAULT_NAMES.map((kind) => `fault/${kind}`), 'raw', 'fault/x'),
  query: fc.array(
    fc.tuple(name, value).filter(([key, text]) => key !== 'for' || text === '0.01'),
    { maxLength: 4 },
  ),
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE', 'TRACE'),
  version: fc.constantFrom('HTTP/1.1', 'HTTP/1.0'),
  framing: fc.constantFrom('', 'Content-Length: 3\r\n', 'Transfer-Encoding: chunked\r\n'),
  fields: fc.constantFrom('', 'Expect: 100-continue\r\n', 'Connection: Upgrade\r\nUpgrade: x\r\n'),
});

function bytesOf({
  path,
  query,
  method,
  version,
  framing,
  fields,
}: typeof input extends fc.Arbitrary<infer T> ? T : never): string {
  const text = query.map((pair) => pair.join('=')).join('&');
  const head = `${method} /${path}?${text} ${version}\r\nHost: x\r\n${framing}${fields}\r\n`;
  const content = framing.startsWith('Content') ? 'abc' : framing && '3\r\nabc\r\n0\r\n\r\n';
  return `${head}${content}GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
}

test('no parameters make an internal error', async () => {
  const batch = fc.array(fc.tuple(input, fc.boolean()), { minLength: 25, maxLength: 25 });
  const made = fc.asyncProperty(batch, async (inputs) => {
    await Promise.all(
      inputs.map(async ([given, isSecure]) => {
        const { received } = await outcomeOf(running().port, bytesOf(given), isSecure);
        expect(received).not.toContain('/problems/internal-error');
      }),
    );
  });
  await fc.assert(made, { numRuns: rounds(12), endOnFailure: true });
  expect(running().logged.filter(({ level }) => Number(level) >= 50)).toEqual([]);
}, 60_000);

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
const isEmpty = () => running().service.connections?.entries().open.length === 0;

test('many faults beside an honest client', async () => {
  const clients = transports.map((transport) => openClient(transport, running().port));
  const before = timers();
  for (let round = 0; round < rounds(20); round++) {
    const faults = Array.from({ length: 50 }, (_, at) => {
      const kind = FAULT_NAMES[at % FAULT_NAMES.length];
      const request = `POST /fault/${kind}?for=0.01 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc`;
      return outcomeOf(running().port, request, at % 5 === 0);
    });
    const honest = clients.map(async (client) => {
      for (let asked = 0; asked < 3; asked++) {
        expect((await client.request('/anything')).status).toBe(200);
      }
    });
    await Promise.all([...faults, ...honest]);
  }
  for (const client of clients) client.close();
  await until(isEmpty, 'no connection is left');
  await until(() => timers() <= before, 'no timer is left');
}, 60_000);
