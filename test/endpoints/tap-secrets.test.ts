import { expect, test } from 'vitest';
import { eventsOf } from '../_events.ts';
import { overBothProtocols } from '../_everywhere.ts';

const SECRET = 'Hunter2';
const FIELDS = {
  authorization: `Bearer ${SECRET}`,
  cookie: `session=${SECRET}`,
  'proxy-authorization': `Basic ${SECRET}`,
  'x-api-key': SECRET,
  'x-csrf-token': SECRET,
  referer: `https://example.com/basic-auth/user/${SECRET}?token=${SECRET}`,
  'x-shown': 'as it is',
};
const TARGETS = [
  `/get?token=${SECRET}`,
  `/nowhere?a=b&pin=${SECRET}`,
  `/basic-auth/user/${SECRET}`,
  `/basic-auth/user/${SECRET}/nowhere`,
  `/digest-auth/auth/user/${SECRET}?x=1`,
  `/cookies/set/session/${SECRET}`,
  `/cookies/set?session=${SECRET}`,
];

async function streamOf(
  { client }: Parameters<Parameters<typeof overBothProtocols>[0]>[0],
  query: string,
): Promise<string> {
  for (const target of TARGETS) await client().request(target, { headers: FIELDS });
  const { body } = await client().request(`/tap?kind=request&duration=0.1${query}`, {
    headers: { 'last-event-id': '' },
  });
  return body.toString();
}

overBothProtocols((place) => {
  test('hides queries, credentials, cookies and paths with passwords', async () => {
    const stream = await streamOf(place, '');
    expect(stream).not.toContain(SECRET);
    const events = eventsOf(stream).slice(0, TARGETS.length);
    expect(events.map(({ data }) => [data['path'], data['query']])).toEqual([
      ['/get', 'token=[redacted]'],
      ['/nowhere', 'a=b&pin=[redacted]'],
      ['/basic-auth/[redacted]', ''],
      ['/basic-auth/[redacted]', ''],
      ['/digest-auth/[redacted]', 'x=1'],
      ['/cookies/set/[redacted]', ''],
      ['/cookies/set', 'session=[redacted]'],
    ]);
    const fields = Object.fromEntries((events[0]?.data['raw_headers'] ?? []) as [string, string][]);
    expect(fields).toMatchObject({
      authorization: '[redacted]',
      cookie: '[redacted]',
      referer: 'https://example.com/[redacted]',
      'x-shown': 'as it is',
      ...(place.transport.startsWith('h2') && { ':path': '/get?token=[redacted]' }),
    });
  });

  test('a path filter cannot reveal a secret', async () => {
    const found = await streamOf(place, `&path=/basic-auth/user*`);
    expect(eventsOf(found).map(({ data }) => data['kind'])).toEqual(['end']);
  });
}, '--tap');

const SHOWING = ['--tap', '--tap-secrets'];

overBothProtocols((place) => {
  test('--tap-secrets shows everything', async () => {
    const events = eventsOf(await streamOf(place, ''));
    const [first] = events;
    expect(first?.data).toMatchObject({ path: '/get', query: `token=${SECRET}` });
    const shown = JSON.stringify(first?.data['raw_headers']);
    for (const [name, value] of Object.entries(FIELDS)) {
      expect(shown).toContain(JSON.stringify([name, value]));
    }
    expect(events.map(({ data }) => data['path'])).toContain(`/basic-auth/user/${SECRET}`);
  });
}, SHOWING);
