import { describe, expect, test } from 'vitest';
import { OwnLimit, PeerLimit } from '../../../src/quic/streams/flow-control.ts';

describe('a limit of the peer', () => {
  test('is what may be used, and never falls (RFC 9000 4.1)', () => {
    const limit = new PeerLimit(100);
    limit.use(60);
    expect(limit.left).toBe(40);
    expect(limit.raise(90)).toBe(false);
    expect(limit.raise(100)).toBe(false);
    expect(limit.left).toBe(40);
    expect(limit.raise(150)).toBe(true);
    expect(limit.left).toBe(90);
  });

  test('is said to be too low once, and again after a loss', () => {
    const limit = new PeerLimit(10);
    expect(limit.isBlocked).toBe(false);
    limit.use(10);
    expect(limit.isBlocked).toBe(true);
    expect(limit.announceBlocked()).toBe(10);
    expect(limit.isBlocked).toBe(false);
    limit.loseBlocked(10);
    expect(limit.isBlocked).toBe(true);
    limit.announceBlocked();
    limit.raise(20);
    limit.loseBlocked(9);
    expect(limit.isBlocked).toBe(false);
    limit.use(10);
    expect(limit.announceBlocked()).toBe(20);
    limit.loseBlocked(10);
    expect(limit.isBlocked).toBe(false);
  });

  test('of 0 blocks from the beginning', () => {
    expect(new PeerLimit().isBlocked).toBe(true);
  });
});

describe('an own limit', () => {
  test('may be reached, and not exceeded', () => {
    const limit = new OwnLimit(100);
    expect(limit.receive(99)).toBe(true);
    expect(limit.receive(1)).toBe(true);
    expect(limit.receive(1)).toBe(false);
  });

  test('rises when half of the window was consumed', () => {
    const limit = new OwnLimit(100);
    limit.receive(100);
    limit.consume(49);
    expect(limit.isDue).toBe(false);
    limit.consume(1);
    expect(limit.isDue).toBe(true);
    expect(limit.announce()).toBe(150);
    expect(limit.isDue).toBe(false);
    expect(limit.receive(50)).toBe(true);
    expect(limit.receive(1)).toBe(false);
  });

  test('is announced again after a loss, unless it has risen since', () => {
    const limit = new OwnLimit(100);
    limit.receive(100);
    limit.consume(50);
    limit.announce();
    limit.consume(10);
    limit.lose(150);
    expect(limit.isDue).toBe(true);
    expect(limit.announce()).toBe(160);
    limit.lose(150);
    expect(limit.isDue).toBe(false);
  });

  test('of 0 or 1 works too', () => {
    const none = new OwnLimit(0);
    expect([none.isDue, none.receive(1)]).toEqual([false, false]);
    const one = new OwnLimit(1);
    expect(one.receive(1)).toBe(true);
    one.consume(1);
    expect([one.isDue, one.announce()]).toEqual([true, 2]);
  });
});
