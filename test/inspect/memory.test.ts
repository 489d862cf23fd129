import { expect, test, vi } from 'vitest';
import { InspectMemory } from '../../src/inspect/memory.ts';
import { converse, GET, openSocket } from '../_raw.ts';
import { startService } from '../_service.ts';
import { PATIENCE } from '../_adapters.ts';
import { sharedService } from '../_shared.ts';
import { get, storyOf } from './_story.ts';

interface Conn {
  readonly conn: { readonly id: string };
}

test('a connection may take its limit until all together are above theirs', () => {
  const memory = new InspectMemory(1_000_000, 100_000, () => undefined);
  memory.changed(900_000);
  expect(memory).toMatchObject({ isFull: false, used: 900_000 });
  expect(memory.limit(0)).toBe(100_000);
  memory.changed(90_000);
  expect(memory.limit(0)).toBe(18_192);
  expect(memory.limit(5000)).toBe(23_192);
  expect(memory.limit(200_000)).toBe(100_000);
  memory.changed(20_000);
  expect(memory.isFull).toBe(true);
  expect(memory.limit(0)).toBe(8192);
});

test('closed connections take nothing from open ones', () => {
  let released = 0;
  const memory = new InspectMemory(100_000, 10_000, () => {
    released++;
    memory.released(10_000);
  });
  memory.changed(100_000);
  memory.closed(100_000, 100_000);
  expect(memory.limit(0)).toBe(10_000);
  expect([memory.hasRoom(100_000), memory.hasRoom(100_001)]).toEqual([true, false]);
  expect(released).toBe(0);
  memory.changed(5000);
  expect(released).toBe(1);
  expect(memory).toMatchObject({ isFull: false, used: 95_000 });
  memory.closed(5000, 15_000);
  expect(released).toBe(2);
  expect(memory.used).toBe(95_000);
});

const running = sharedService('--inspect', '--inspect-memory=1', '--inspect-connection-memory=32K');

test('of a connection above its limit, the newest messages are kept', async () => {
  const socket = await openSocket(running().port);
  // A full memory of closed connections takes nothing from it.
  const ids: string[] = [];
  for (let count = 0; count < 150; count++) {
    const { content } = await get(running().port, '/get');
    ids.push((JSON.parse(content) as Conn).conn.id);
  }
  const kept = ids.map((id) => running().service.stories?.story(id, 'text') !== null);
  // The oldest are forgotten first.
  const first = kept.indexOf(true);
  expect(first).toBeGreaterThan(0);
  expect(kept.slice(first)).not.toContain(false);
  const field = `X-A: ${'a'.repeat(2000)}\r\n`;
  let last = '';
  for (let count = 0; count < 50; count++) {
    last = await new Promise<string>((resolve) => {
      let text = '';
      const onData = (chunk: Buffer): void => {
        text += chunk.toString('latin1');
        if (!text.endsWith('}\n')) return;
        socket.off('data', onData);
        resolve(text);
      };
      socket.on('data', onData);
      socket.write(GET(`/get?n=${count}`, field));
    });
  }
  const { conn, wire } = JSON.parse(last.slice(last.indexOf('\r\n\r\n'))) as Conn & {
    wire: { number: number; head: string };
  };
  expect(wire).toMatchObject({ number: 50, head: GET('/get?n=49', field) });
  const story = await storyOf(running().port, conn.id);
  const numbers = story.events
    .filter(({ layer, from }) => layer === 'http1' && from === 'client')
    .map(({ number }) => Number(number));
  expect(numbers.at(-1)).toBe(50);
  // As many as its limit allows.
  expect(numbers.length).toBeGreaterThan(3);
  expect(numbers.length).toBeLessThan(10);
  expect(story.http1).toMatchObject({
    requests: { messages: 50, left_out: 50 - numbers.length },
  });
  socket.destroy();
});

test('open connections take no more than all may, and those beyond are not inspected', async () => {
  const few = await startService('--inspect', '--inspect-memory', '1');
  const sockets = [];
  for (let count = 0; count < 40; count++) {
    const socket = await openSocket(few.port);
    const response = converse(socket, GET('/get'), (text) => text.endsWith('}\n'));
    sockets.push({ socket, text: await response });
  }
  const inspected = sockets.filter(({ text }) => text.includes('"head"'));
  // 48 KiB are reserved for each.
  expect(inspected).toHaveLength(20);
  expect(sockets.slice(0, 20)).toEqual(inspected);
  const last = JSON.parse(/\{.*\}/s.exec(sockets.at(-1)?.text ?? '')?.[0] ?? '') as Conn & {
    wire: unknown;
  };
  expect(last.wire).toEqual({
    missing: 'when the connection was opened, others had used up --inspect-memory',
  });
  expect(few.service.stories?.story(last.conn.id, 'text')).toBeNull();
  expect(few.logged).toContainEqual(expect.objectContaining({ connections: 1 }));
  for (const { socket } of sockets) socket.destroy();
  const isInspected = async () => (await get(few.port, '/get')).content.includes('"head"');
  await vi.waitUntil(isInspected, PATIENCE);
  few.service.close();
});
