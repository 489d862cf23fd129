import { describe, expect, test } from 'vitest';
import { until } from '../../_adapters.ts';
import { sharedPlace } from '../../_everywhere.ts';
import { DATA, FrameClient, get } from '../../_frames.ts';
import { converse, exchange, GET, LAST, openSocket } from '../../_raw.ts';

describe('on HTTP/1.1, byte by byte', () => {
  const { running } = sharedPlace('http/1.1');
  const bytesOf = (query: string, fields = LAST) =>
    exchange(running().port, GET(`/respond?${query}`, fields));

  test('chunk: each piece is a chunk', async () => {
    const received = await bytesOf('body=abcdefgh&chunk=3&trailer=X-T:1');
    expect(received).toMatch(/\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n2\r\ngh\r\n0\r\nX-T: 1\r\n\r\n$/);
    expect(received).toContain('\r\nTransfer-Encoding: chunked\r\n');
    expect(received).not.toContain('Content-Length');
  });

  test('body_delay: the head comes before', async () => {
    const socket = await openSocket(running().port);
    const query = '/respond?body=late&body_delay=300s';
    const head = await converse(socket, GET(query), (received) => received.includes('\r\n\r\n'));
    expect(head).toMatch(/Content-Length: 4\r\n.*\r\n\r\n$/s);
    socket.destroy();
  });
});

describe('on HTTP/2, frame by frame', () => {
  const { running } = sharedPlace('h2c');

  test('chunk: each piece is a DATA frame', async () => {
    const client = new FrameClient(await openSocket(running().port));
    client.send(get(1, '/respond?body=abcdefgh&chunk=3'));
    await until(() => client.isDone(1));
    const pieces = client.got(DATA, 1).map(({ payload }) => payload.toString());
    expect(pieces.filter((piece) => piece !== '')).toEqual(['abc', 'def', 'gh']);
    client.socket.destroy();
  });
});
