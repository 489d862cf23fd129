import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { Nonces } from '../../src/server/nonces.ts';
import { TcpConnection } from '../../src/net/tcp-connection.ts';

const KEY = Buffer.alloc(32, 1);
const NOW = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

describe('a nonce', () => {
  const nonces = new Nonces(KEY);
  const nonce = nonces.issue(NOW);

  test('is unique', () => {
    expect(nonce).toMatch(/^[\w-]{42}$/);
    expect(nonces.issue(NOW)).not.toBe(nonce);
  });

  test('is valid for five minutes, in every process with the key', () => {
    for (const own of [nonces, new Nonces(KEY)]) {
      expect(own.isValid(nonce, NOW)).toBe(true);
      expect(own.isValid(nonce, NOW + 5 * MINUTE)).toBe(true);
      expect(own.isValid(nonce, NOW + 5 * MINUTE + 1)).toBe(false);
    }
    expect(new Nonces(Buffer.alloc(32, 2)).isValid(nonce, NOW)).toBe(false);
  });

  test('is valid after a small step of the clock back, but not after a large one', () => {
    expect(nonces.isValid(nonce, NOW - MINUTE)).toBe(true);
    expect(nonces.isValid(nonce, NOW - 6 * MINUTE)).toBe(false);
  });

  test('is invalid with a character changed, removed or added', () => {
    for (let at = 0; at < nonce.length; at++) {
      for (const other of ['A', '0', '_', '+', '"']) {
        if (other === nonce[at]) continue;
        const changed = nonce.slice(0, at) + other + nonce.slice(at + 1);
        expect(nonces.isValid(changed, NOW)).toBe(false);
      }
    }
    for (const other of [
      '',
      nonce.slice(1),
      nonce.slice(0, -1),
      `${nonce}A`,
      `${nonce}=`,
      '\u00e9',
    ]) {
      expect(nonces.isValid(other, NOW)).toBe(false);
    }
    expect(nonces.isValid(nonce, NOW)).toBe(true);
  });
});

/** Records counts of nonces on a connection of its own. @returns whether each is new */
function counter(nonces = new Nonces(KEY)) {
  const connection = new TcpConnection(new Socket());
  return (nonce: string, ...counts: number[]): boolean[] =>
    counts.map((count) => nonces.recordCount(connection, nonce, count));
}

describe('RFC 7616 3.4: a count', () => {
  test('is new once', () => {
    const taken = counter()('a', 1, 1, 2, 3, 2, 3);
    expect(taken).toEqual([true, false, true, true, false, false]);
  });

  test('may be overtaken by 31 others', () => {
    const take = counter();
    expect(take('a', 40, 9, 9, 8, 39)).toEqual([true, true, false, false, true]);
    const last = take('a', 0xffffffff, 0xfffffffe, 40, 0xffffffff);
    expect(last).toEqual([true, true, false, false]);
  });

  test('is recorded per nonce and connection', () => {
    const nonces = new Nonces(KEY);
    const [one, other] = [counter(nonces), counter(nonces)];
    expect(one('a', 1)).toEqual([true]);
    expect(one('b', 1, 1)).toEqual([true, false]);
    expect(other('a', 1, 1)).toEqual([true, false]);
    expect(one('a', 1)).toEqual([false]);
  });

  test('is recorded for the last eight nonces of a connection', () => {
    const take = counter();
    for (const nonce of 'abcdefghi') take(nonce, 1);
    expect(take('b', 1)).toEqual([false]);
    expect(take('a', 1)).toEqual([true]);
  });
});
