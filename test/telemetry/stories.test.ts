import { expect, test } from 'vitest';
import { Stories } from '../../src/telemetry/stories.ts';
import { openConnection, receive, startInspection } from '../inspect/_inspection.ts';

const SECRET = 'hunter2';

function tell(secrets: boolean) {
  const inspection = startInspection();
  const connection = openConnection(inspection);
  const request = `GET /a?b=${SECRET} HTTP/1.1\r\nHost: x\r\nCookie: ${SECRET}\r\n\r\n`;
  receive(inspection, connection, 'http/1.1', request);
  const stories = new Stories(inspection, secrets, (path) => path.replace('/a', '/pattern'));
  return { stories, id: connection.id };
}

test.each([
  [true, 'GET /a?b=hunter2 HTTP/1.1', 'Cookie: hunter2'],
  [false, 'GET /pattern?[redacted] HTTP/1.1', 'Cookie: [redacted]'],
])('secrets are shown: %s', (secrets, line, field) => {
  const { stories, id } = tell(secrets);
  const json = JSON.parse(stories.story(id, 'json') ?? '') as { events: { head?: string }[] };
  expect(json).toMatchObject({ id, protocol: 'http/1.1', closed: null });
  expect(json.events.at(-1)?.head).toBe(`${line}\r\nHost: x\r\n${field}\r\n\r\n`);
  const text = stories.story(id, 'text') ?? '';
  for (const shown of [line, field]) expect(text).toContain(`${shown}\\r\\n\n`);
  expect(text.includes(SECRET)).toBe(secrets);
});

test('nothing of a connection that is not known', () => {
  const { stories } = tell(true);
  expect(stories.story('nobody', 'json')).toBeNull();
  expect(stories.story('nobody', 'text')).toBeNull();
});
