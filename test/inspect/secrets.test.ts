import { describe, expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import * as h2 from '../_frames.ts';
import { converse, openSocket } from '../_raw.ts';
import { Reader } from '../_tap.ts';
import { sharedService } from '../_shared.ts';
import { closedStory, get, idAfter, traceOf } from './_story.ts';
import { echoOf } from '../_echo.ts';

const SECRET = 'hunter2';

/** Sends secrets in every part of requests of both versions. @returns the ids of the connections */
async function sendSecrets(port: number): Promise<readonly [http1: string, http2: string]> {
  const { content } = await get(port, '/get');
  const { conn } = echoOf(content);
  const socket = await openSocket(port);
  socket.once('end', () => socket.end());
  await converse(
    socket,
    `POST /post?token=${SECRET} HTTP/1.1\r\nHost: x\r\nCookie: a=${SECRET}\r\n` +
      `Authorization: Basic ${SECRET}\r\nX-Api-Key: ${SECRET}\r\nReferer: http://x/?${SECRET}\r\n` +
      `Transfer-Encoding: chunked\r\n\r\n7\r\n${SECRET}\r\n0\r\nX-Token: ${SECRET}\r\n\r\n` +
      `GET /redirect-to?url=/%3Ftoken=${SECRET} HTTP/1.1\r\nHost: x\r\n\r\n` +
      `GET /cookies/set?sid=${SECRET} HTTP/1.1\r\nHost: x\r\n\r\n` +
      // Refused: bytes after a request that are none.
      `?${SECRET}\x01\r\nCookie ${SECRET}\r\n\r\n${SECRET}`,
  );
  const client = new h2.FrameClient(await openSocket(port));
  client.send(
    h2.post(1, `/post?token=${SECRET}`, ['cookie', SECRET], ['x-a', `b\r\ncookie: ${SECRET}`]),
    h2.frame(h2.DATA, h2.END_STREAM, 1, Buffer.from(SECRET)),
    h2.get(3, `/redirect-to?url=/%3Ftoken=${SECRET}`, ['authorization', SECRET]),
    h2.frame(0x20, 0, 0, Buffer.from(SECRET)),
  );
  await until(() => client.isDone(1) && client.isDone(3));
  client.send(h2.frame(h2.GOAWAY, 0, 0, Buffer.concat([Buffer.alloc(8), Buffer.from(SECRET)])));
  client.socket.end();
  const http1 = idAfter(conn.id);
  return [http1, idAfter(http1)];
}

/** How often the secret is in the text. */
const countIn = (text: string): number => text.split(SECRET).length - 1;

const hiding = sharedService('--inspect', '--tap');
const showing = sharedService('--inspect', '--tap', '--tap-secrets');

describe.each(['hidden', 'shown'])('secrets are %s', (which) => {
  const running = which === 'hidden' ? hiding : showing;

  test('in /connections/{id}, as JSON and as text', async () => {
    const { port } = running();
    for (const id of await sendSecrets(port)) {
      const story = await closedStory(running(), id);
      const text = await traceOf(port, id);
      const counts = [countIn(JSON.stringify(story)), countIn(text)];
      if (which === 'hidden') expect(counts).toEqual([0, 0]);
      else for (const count of counts) expect(count).toBeGreaterThan(6);
    }
  });

  test('in /tap', async () => {
    const { port } = running();
    const reader = await Reader.open('http/1.1', port, '?kind=frame,rejected,request');
    reader.allow();
    await sendSecrets(port);
    const hasAll = (): boolean =>
      reader.received.includes('GOAWAY') && reader.received.includes('event: rejected');
    await until(hasAll);
    const count = countIn(reader.received);
    if (which === 'hidden') expect(count).toBe(0);
    else expect(count).toBeGreaterThan(10);
    reader.socket.destroy();
  });
});

test('wire shows the client its own request', async () => {
  const { content } = await get(hiding().port, `/get?a=${SECRET}`, `Cookie: ${SECRET}\r\n`);
  const { wire } = JSON.parse(content) as { wire: { head: string } };
  expect(countIn(wire.head)).toBe(2);
});
