import { describe, expect, test } from 'vitest';
import { RttEstimator } from '../../../src/quic/recovery/rtt.ts';

/** An estimator after a first sample of 100 ms, taken at 1000. */
function sampled(): RttEstimator {
  const rtt = new RttEstimator();
  rtt.addSample(100, 10, true, 1000);
  return rtt;
}

test('without a sample, a probe is due after 1 s, nearly (RFC 9002 6.2.2)', () => {
  const rtt = new RttEstimator();
  expect(rtt.smoothed).toBe(333);
  expect(rtt.variation).toBe(166.5);
  expect(rtt.probeTimeout).toBe(999);
  expect(rtt.firstSampleAt).toBe(Infinity);
});

test('the first sample is taken as it is (RFC 9002 5.3)', () => {
  const { latest, min, smoothed, variation, firstSampleAt } = sampled();
  expect({ latest, min, smoothed, variation, firstSampleAt }).toEqual({
    latest: 100,
    min: 100,
    smoothed: 100,
    variation: 50,
    firstSampleAt: 1000,
  });
});

describe('a later sample (RFC 9002 5.3)', () => {
  test('counts an eighth, without the delay of the acknowledgment', () => {
    const rtt = sampled();
    rtt.addSample(188, 8, true, 2000);
    expect(rtt.smoothed).toBe(110);
    expect(rtt.variation).toBe(57.5);
    expect(rtt.latest).toBe(188);
    expect(rtt.min).toBe(100);
    expect(rtt.firstSampleAt).toBe(1000);
  });

  test('is not made smaller than the smallest one', () => {
    const rtt = sampled();
    rtt.addSample(108, 9, true, 2000);
    expect(rtt.smoothed).toBe(101);
  });

  test('may be reduced to the smallest one', () => {
    const rtt = sampled();
    rtt.addSample(108, 8, true, 2000);
    expect(rtt.smoothed).toBe(100);
  });

  test('is reduced by max_ack_delay at most', () => {
    const rtt = sampled();
    rtt.maxAckDelay = 20;
    rtt.addSample(220, 60, true, 2000);
    expect(rtt.smoothed).toBe(112.5);
  });

  test('is reduced by more before the handshake is confirmed', () => {
    const rtt = sampled();
    rtt.addSample(220, 60, false, 2000);
    expect(rtt.smoothed).toBe(107.5);
  });

  test('may be the smallest, whatever the delay (RFC 9002 5.2)', () => {
    const rtt = sampled();
    rtt.addSample(60, 25, true, 2000);
    expect(rtt.min).toBe(60);
    expect(rtt.smoothed).toBe(95);
  });
});

test('the smallest sample starts anew after persistent congestion (RFC 9002 5.2)', () => {
  const rtt = sampled();
  rtt.addSample(300, 0, true, 2000);
  rtt.restartMin();
  expect(rtt.min).toBe(300);
});

test('the time threshold is 9/8 of the larger of both (RFC 9002 6.1.2)', () => {
  const rtt = sampled();
  expect(rtt.lossDelay).toBe(112.5);
  rtt.addSample(200, 0, true, 2000);
  expect(rtt.lossDelay).toBe(225);
  rtt.addSample(40, 0, true, 3000);
  expect(rtt.lossDelay).toBeCloseTo((9 / 8) * rtt.smoothed);
});

test('no timer is shorter than 1 ms (RFC 9002 6.1.2, 6.2.1)', () => {
  const rtt = new RttEstimator();
  rtt.addSample(0, 0, true, 1000);
  expect(rtt.lossDelay).toBe(1);
  expect(rtt.probeTimeout).toBe(1);
});

test('persistent congestion takes three probe timeouts with max_ack_delay (RFC 9002 7.6.1)', () => {
  expect(sampled().probeTimeout).toBe(300);
  expect(sampled().persistentCongestionDuration).toBe(975);
});
