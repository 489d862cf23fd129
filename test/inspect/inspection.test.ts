import { expect, test } from 'vitest';
import { GET } from '../_raw.ts';
import { openConnection, receive, startInspection } from './_inspection.ts';

test('a connection is found while it is open, and after it is closed', () => {
  const inspection = startInspection();
  const connection = openConnection(inspection);
  const { id } = connection;
  expect(connection.inspector).toBe(inspection.find(id));
  expect(inspection.find(id)).toMatchObject({ closed: undefined, facts: { id } });
  inspection.closed(connection);
  expect(inspection.find(id)).toMatchObject({ closed: { cause: { by: 'client' } } });
  expect(inspection.find('nobody')).toBeUndefined();
});

test('what is read before the protocol is detected is not lost', () => {
  const inspection = startInspection();
  const connection = openConnection(inspection);
  connection.socket.push(Buffer.from('GET / HT'));
  expect(inspection.find(connection.id)?.undetected).toMatchObject({ length: 8 });
  receive(inspection, connection, 'http/1.1', 'TP/1.1\r\n\r\n');
  const http = inspection.find(connection.id)?.http;
  expect(http?.version === 1 && http.reader.requests).toMatchObject([
    { head: { text: 'GET / HTTP/1.1\r\n\r\n' } },
  ]);
});

test('a request is delivered to its own connection', () => {
  const inspection = startInspection();
  const [one, other] = [openConnection(inspection), openConnection(inspection)];
  receive(inspection, one, 'http/1.1', GET('/one'));
  receive(inspection, other, 'http/1.1', GET('/other'));
  expect(one.inspector?.requestView(1)).toMatchObject({ line: { target: '/one' } });
  expect(other.inspector?.requestView(1)).toMatchObject({ line: { target: '/other' } });
  expect(one.inspector?.requestView(2)).toBeUndefined();
});

test('a reset by wirebin is the end of its side', () => {
  const inspection = startInspection();
  const connection = openConnection(inspection);
  inspection.closing(connection, 'graceful');
  expect(inspection.find(connection.id)?.tcp.ends).toEqual([]);
  inspection.closing(connection, 'reset');
  inspection.closed(connection);
  expect(inspection.find(connection.id)?.tcp.ends).toMatchObject([{ by: 'wirebin', how: 'rst' }]);
});
