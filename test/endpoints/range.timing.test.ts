import { expect, test } from 'vitest';
import { overBothProtocolsAtOnce } from '../_everywhere.ts';
import { Stream } from '../_stream.ts';

overBothProtocolsAtOnce(({ running, transport }) => {
  test('each chunk after its share of the time', async () => {
    const target = '/range/100?duration=0.5&chunk_size=25';
    const stream = new Stream(transport, running().port, target);
    await stream.ended;
    const times = stream.arrivals.flatMap(({ at, length }) => Array.from({ length }, () => at));
    expect(times).toHaveLength(100);
    for (const [byte, time] of times.entries()) {
      const due = Math.ceil((byte + 1) / 25) * 125;
      expect(time).toBeGreaterThanOrEqual(due);
    }
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(150);
  });
});
