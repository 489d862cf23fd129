import { expect, test } from 'vitest';
import { Stories } from '../../../src/telemetry/story/stories.ts';
import { wholeStory } from '../../inspect/_story.ts';
import { frame, get, PREFACE, SETTINGS } from '../../_frames.ts';
import { GET } from '../../_raw.ts';
import { openConnection, receive, startInspection } from '../../inspect/_inspection.ts';

const SECRET = 'hunter2';

function tell(secrets: boolean) {
  const inspection = startInspection();
  const connection = openConnection(inspection);
  const request = `GET /basic-auth/${SECRET}?pin=${SECRET} HTTP/1.1\r\nHost: x\r\nCookie: ${SECRET}\r\n\r\n`;
  receive(inspection, connection, 'http/1.1', request);
  const stories = new Stories(inspection, secrets);
  return { stories, id: connection.id };
}

test.each([
  [true, 'GET /basic-auth/hunter2?pin=hunter2 HTTP/1.1', 'Cookie: hunter2'],
  [false, 'GET /basic-auth/[redacted]?pin=[redacted] HTTP/1.1', 'Cookie: [redacted]'],
])('secrets are shown: %s', (secrets, line, field) => {
  const { stories, id } = tell(secrets);
  const json = JSON.parse(wholeStory(stories, id, 'json') ?? '') as { events: { head?: string }[] };
  expect(json).toMatchObject({ id, protocol: 'http/1.1', closed: null });
  expect(json.events.at(-1)?.head).toBe(`${line}\r\nHost: x\r\n${field}\r\n\r\n`);
  const text = wholeStory(stories, id, 'text') ?? '';
  for (const shown of [line, field]) expect(text).toContain(`${shown}\\r\\n\n`);
  expect(text.includes(SECRET)).toBe(secrets);
});

test('nothing of a connection that is not known', () => {
  const { stories } = tell(true);
  expect(stories.story('nobody', 'json')).toBeNull();
  expect(stories.story('nobody', 'text')).toBeNull();
});

const LONG = `X-Long: ${'x'.repeat(1000)}\r\n`;

test('a long story has several pages, with each event once', () => {
  const inspection = startInspection();
  const connection = openConnection(inspection);
  // All at the same time, as in one read.
  const requests = Array.from({ length: 60 }, (_, at) => GET(`/${at}`, LONG));
  receive(inspection, connection, 'http/1.1', requests.join(''));
  const stories = new Stories(inspection, true);
  const first = stories.story(connection.id, 'json');
  expect(first?.next).toBeDefined();
  expect(first?.text.length).toBeLessThan(20_000);
  const json = wholeStory(stories, connection.id, 'json') ?? '';
  const story = JSON.parse(json) as { events: { title: string }[] };
  expect(json).toBe(JSON.stringify(story, null, 2));
  const titles = story.events.map(({ title }) => title).filter((title) => title.startsWith('r'));
  expect(new Set(titles).size).toBe(titles.length);
  expect(titles.length).toBeGreaterThan(10);
  const text = wholeStory(stories, connection.id, 'text') ?? '';
  expect(text.match(/ http1 {3}request /g)).toHaveLength(titles.length);
});

test('facts of a connection that fill a page are followed by its events', () => {
  const inspection = startInspection();
  const connection = openConnection(inspection);
  // Fields of one connection (RFC 9113 8.2.2): each stream is refused, with the reason.
  const requests = Array.from({ length: 60 }, (_, at) =>
    get(1 + 2 * at, '/', ['connection', 'close'], ['keep-alive', '1']),
  );
  const bytes = Buffer.concat([PREFACE, frame(SETTINGS, 0, 0), ...requests]);
  receive(inspection, connection, 'h2c', bytes);
  const stories = new Stories(inspection, true);
  const first = stories.story(connection.id, 'json');
  expect(first?.text.indexOf('"events"')).toBeGreaterThan(16 * 1024);
  expect(first?.next).toBeDefined();
  const json = wholeStory(stories, connection.id, 'json') ?? '';
  const story = JSON.parse(json) as { events: { title: string }[] };
  expect(json).toBe(JSON.stringify(story, null, 2));
  expect(story.events[0]?.title).toMatch(/^connection from /);
});
