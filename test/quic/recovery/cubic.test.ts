import { expect, test } from 'vitest';
import { CubicCurve } from '../../../src/quic/recovery/cubic.ts';

const SIZE = 1000;
const DATAGRAMS = 1000;

/** A window of 700 datagrams after a loss at 1,000, as it is each second of a path whose round trips take 100 ms. */
function windowsPerSecond(seconds: number, rtt = 100): number[] {
  const curve = new CubicCurve(700 * SIZE, DATAGRAMS * SIZE, DATAGRAMS * SIZE, SIZE, 0);
  const windows: number[] = [];
  let window = 700 * SIZE;
  for (let now = rtt; now <= seconds * 1000; now += rtt) {
    const inFlight = window;
    for (let acknowledged = 0; acknowledged < inFlight; acknowledged += SIZE) {
      window = curve.grow(window, SIZE, now, rtt);
    }
    if (now % 1000 === 0) windows.push(Math.round(window / SIZE));
  }
  return windows;
}

// K is the cube root of 300 / 0.4, thus 9.09 s.
test('the curve is that of RFC 9438 4.2, a round trip ahead', () => {
  const expected = Array.from({ length: 16 }, (_, at) => {
    const fromLevel = at + 1 + 0.1 - Math.cbrt(300 / 0.4);
    return DATAGRAMS + 0.4 * fromLevel ** 3;
  });
  const windows = windowsPerSecond(16);
  for (const [at, window] of windows.entries()) {
    expect(Math.abs(window - (expected[at] ?? 0))).toBeLessThan(8);
  }
  expect(windows[8]).toBe(DATAGRAMS);
});

test('where Reno would have a larger window, it is that (RFC 9438 4.3)', () => {
  const [window = 0] = windowsPerSecond(1, 1);
  // 0.53 datagrams in each of 1,000 round trips, until it is as large as before the loss; then one in each.
  const rounds = (DATAGRAMS - 700) / ((3 * 0.3) / 1.7);
  expect(window).toBeGreaterThan(DATAGRAMS + (1000 - rounds) * 0.95);
  expect(window).toBeLessThanOrEqual(DATAGRAMS + (1000 - rounds));
});

test('a window does not grow by more than half in a round trip (RFC 9438 4.2)', () => {
  const curve = new CubicCurve(10 * SIZE, 10 * SIZE, 10 * SIZE, SIZE, 0);
  expect(curve.grow(10 * SIZE, 10 * SIZE, 60_000, 100)).toBe(15 * SIZE);
});

test('without a loss before, the curve is level at its start (RFC 9438 4.8)', () => {
  const curve = new CubicCurve(100 * SIZE, 0, 0, SIZE, 5000);
  const window = curve.grow(100 * SIZE, SIZE, 5000, 1000);
  expect(window).toBeCloseTo(100 * SIZE + SIZE / 100, 0);
});
