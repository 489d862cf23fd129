import { expect, test } from 'vitest';
import { everywhere } from '../_everywhere.ts';
import { Stream } from '../_stream.ts';

interface Times {
  readonly received: string;
  readonly connection_age_ms: number;
  readonly content_end_ms: number | null;
  readonly bytes_received: number;
  readonly event_loop_delay_ms: number;
  readonly first_byte_out_ms: number;
}

everywhere(({ client, running, transport }) => {
  const ask = async (body?: string): Promise<Times> => {
    const sent = body === undefined ? {} : { method: 'POST', body };
    const answer = await client().request('/timing', sent);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-length']).toBeUndefined();
    return JSON.parse(answer.body.toString()) as Times;
  };

  test('the times are in order, and within those of the client', async () => {
    const [clock, start] = [Date.now(), performance.now()];
    const times = await ask();
    const duration = performance.now() - start;
    expect(times).toMatchObject({ content_end_ms: null, bytes_received: 0 });
    expect(Date.parse(times.received)).toBeGreaterThanOrEqual(clock - 1);
    expect(Date.parse(times.received)).toBeLessThanOrEqual(Date.now());
    expect(times.event_loop_delay_ms).toBeGreaterThan(0);
    expect(times.first_byte_out_ms).toBeGreaterThan(times.event_loop_delay_ms);
    expect(times.first_byte_out_ms).toBeLessThan(duration);
  });

  test('the end of the content', async () => {
    const times = await ask('x'.repeat(100_000));
    expect(times.bytes_received).toBe(100_000);
    expect(times.content_end_ms).toBeGreaterThan(0);
    expect(times.first_byte_out_ms).toBeGreaterThan(times.content_end_ms ?? 0);
  });

  test('a blocked event loop shows', async () => {
    const answer = ask();
    // The service runs in this process: the request arrives in the meantime, or is delayed by it.
    const block = setInterval(() => {
      const end = performance.now() + 30;
      while (performance.now() < end);
    }, 1);
    const times = [await answer, await ask(), await ask(), await ask()];
    clearInterval(block);
    expect(Math.max(...times.map((each) => each.event_loop_delay_ms))).toBeGreaterThan(25);
  });

  test('the first bytes do not wait for the rest', async () => {
    const stream = new Stream(transport, running().port, '/timing');
    await stream.ended;
    expect(stream.arrivals.length).toBeGreaterThan(0);
  });
});
