import { expect, test } from 'vitest';
import { connectionView } from '../../../src/inspect/views/connection-view.ts';
import {
  eventText,
  eventView,
  momentsOf,
  type StoryEvent,
} from '../../../src/telemetry/story/events.ts';
import type { Inspected } from '../../../src/inspect/connection-inspection.ts';
import { NOTHING_REDACTED } from '../../../src/inspect/views/view.ts';
import { wireRedaction } from '../../../src/telemetry/rejected-message.ts';
import * as h2 from '../../_frames.ts';
import { GET } from '../../_raw.ts';
import { openConnection, receive, startInspection } from '../_inspection.ts';

const noIssuer = (): undefined => undefined;

const eventsOf = (found: Inspected): StoryEvent[] =>
  momentsOf(found, NOTHING_REDACTED).map(({ describe }) => describe());

function inspected(
  act: (...args: [ReturnType<typeof startInspection>, ReturnType<typeof openConnection>]) => void,
) {
  const inspection = startInspection();
  const connection = openConnection(inspection);
  act(inspection, connection);
  const found = inspection.find(connection.id);
  if (!found) throw new Error('it is not kept');
  return found;
}

test('before anything is read', () => {
  const found = inspected(() => undefined);
  const view = connectionView(found, NOTHING_REDACTED, noIssuer);
  expect(Object.keys(view)).toEqual(
    'id,protocol,remote,peer,local,opened,requests,open_requests,closed,tcp'.split(','),
  );
  expect(view).toMatchObject({ protocol: null, closed: null });
  const events = eventsOf(found).map((event) => eventView(event, found.openedAt));
  expect(events).toMatchObject([{ at_ms: 0, from: 'client', layer: 'tcp' }]);
});

test('bytes of no protocol, redacted', () => {
  const found = inspected((_, { socket }) => socket.push(Buffer.from('secret')));
  expect(connectionView(found, NOTHING_REDACTED, noIssuer)).toMatchObject({
    undetected: { bytes: 'secret', length: 6 },
  });
  expect(connectionView(found, wireRedaction, noIssuer)).toMatchObject({
    undetected: { bytes: '[redacted]', length: 6 },
  });
});

test('the layers that there are, and their events in order', () => {
  const found = inspected((inspection, connection) => {
    receive(inspection, connection, 'http/1.1', GET('/a') + GET('/b'));
    inspection.closed(connection);
  });
  const view = connectionView(found, NOTHING_REDACTED, noIssuer);
  expect(view).toMatchObject({ http1: { requests: { messages: 2 }, pipelined: 1 } });
  expect(view).not.toHaveProperty('http2');
  expect(view).not.toHaveProperty('tls');
  const events = eventsOf(found);
  expect(events.map(({ layer, title }) => `${layer} ${title.replace(/from .*/, '')}`)).toEqual([
    'tcp connection ',
    `tcp ${(GET('/a') + GET('/b')).length} bytes`,
    'http1 request 1',
    'http1 request 2',
    'tcp FIN',
    'tcp closed by client: closed',
  ]);
});

test('frames of HTTP/2 as text', () => {
  const found = inspected((inspection, connection) => {
    const frames = [h2.PREFACE, h2.frame(h2.SETTINGS, 0, 0), h2.get(1, '/', ['x-a', 'b\x01'])];
    receive(inspection, connection, 'h2c', Buffer.concat(frames));
  });
  const text = eventsOf(found)
    .map((event) => eventText(event, found.openedAt))
    .join('');
  expect(text).toContain(' > http2   SETTINGS stream 0, 0 bytes\n');
  expect(text).toMatch(/ > http2 {3}HEADERS \[END_STREAM END_HEADERS\] stream 1, \d+ bytes\n/);
  expect(text).toMatch(/\n {20,}:path: \/ {2}\(literal\)\n/);
  expect(text).toMatch(/x-a: b\\u0001 {2}\(literal\) {2}<- dropped: \{"reason"/);
});

test('text: times, arrows and lines below', () => {
  const event = { layer: 'tls', details: {} } as const;
  const events: StoryEvent[] = [
    { ...event, time: 10, from: 'client', title: 'one', lines: ['a', 'b'] },
    { ...event, time: 1234.5678, from: 'server', title: 'two' },
  ];
  const text = events.map((one) => eventText(one, 10)).join('');
  const indent = ' '.repeat(24);
  expect(text).toBe(
    `       0.000 > tls     one\n${indent}a\n${indent}b\n    1224.568 < tls     two\n`,
  );
});
