import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openClient, type Received } from '../../_client.ts';
import { overBothProtocols } from '../../_everywhere.ts';

const page = readFileSync(new URL('../../../docs/coming-from/others.md', import.meta.url), 'utf8');
const [, section = ''] = page.split('<!-- said in respond -->');
const lines = Array.from(
  section.split('<!-- /said -->')[0]?.matchAll(/^\| (.*) \| `(.*?)` \| (.*) \|$/gm) ?? [],
  ([, there = '', query = '', response = '']) => ({ there, query, response }),
).filter(({ there }) => there !== 'There');

/** The parts of a cell that match, without what is around them. */
function partsOf(cell: string, part: RegExp): string[] {
  return Array.from(cell.matchAll(part), ([, text = '']) => text);
}

function expectResponse(cell: string, received: Received, milliseconds: number): void {
  const { status, headers, body } = received;
  const statuses = partsOf(cell, /`(\d{3})`/g).map(Number);
  expect(statuses.length === 0 ? [200] : statuses).toContain(status);
  for (const line of partsOf(cell, /`([\w-]+: [^`]+)`/g)) {
    const [, name = '', value] = /^(.*?): (.*)$/.exec(line) ?? [];
    expect([name, String(headers[name.toLowerCase()])]).toEqual([name, value]);
  }
  const content = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
  for (const text of partsOf(cell, /content `([^`]+)`/g)) expect(content.toString()).toBe(text);
  if (cell.includes('an echo'))
    expect(JSON.parse(content.toString())).toMatchObject({ data: 'sent' });
  for (const length of partsOf(cell, /(\d+) bytes/g)) expect(content).toHaveLength(Number(length));
  for (const delay of partsOf(cell, /after (\d+) ms/g)) {
    // Timers may expire up to a millisecond early.
    expect(milliseconds).toBeGreaterThanOrEqual(Number(delay) - 1);
  }
}

test('there are forty lines and more', () => {
  expect(lines.length).toBeGreaterThanOrEqual(40);
});

overBothProtocols(({ client, running, transport }) => {
  test.each(lines)('$there as $query', async ({ query, response }) => {
    const start = performance.now();
    const sent = { method: 'POST', body: 'sent', headers: { 'content-type': 'text/plain' } };
    // A response that is cut may end the connection.
    const asking = response === 'cut' ? openClient(transport, running().port) : client();
    const asked = asking.request(`/respond?${query}`, sent);
    if (response === 'cut') {
      await expect(asked).rejects.toThrow();
      return;
    }
    // HTTP/2 has no Connection (RFC 9113 8.2.2).
    const cell = transport === 'h2' ? response.replace('`Connection: close`', '') : response;
    expectResponse(cell, await asked, performance.now() - start);
  });
});
