import { expect, test } from 'vitest';
import { delayed, pause } from '../../src/server/pause.ts';

const AN_HOUR = 3600;

test('rejects as soon as the client disconnects', async () => {
  const controller = new AbortController();
  const waiting = pause(AN_HOUR, controller.signal);
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  await expect(pause(0, controller.signal)).rejects.toMatchObject({ name: 'AbortError' });
});

test('does not wait for 0 seconds, nor less than requested', async () => {
  const { signal } = new AbortController();
  await pause(0, signal);
  const start = performance.now();
  await pause(0.02, signal);
  // Timers may be a millisecond early.
  expect(performance.now() - start).toBeGreaterThan(18);
});

test('a response without a delay is synchronous, one with a delay comes after it', async () => {
  const controller = new AbortController();
  const request = { signal: controller.signal };
  expect(delayed(0, request, () => 'now')).toBe('now');
  expect(await delayed(0.001, request, () => 'later')).toBe('later');
  let responses = 0;
  const waiting = delayed(AN_HOUR, request, () => responses++);
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  expect(responses).toBe(0);
});
