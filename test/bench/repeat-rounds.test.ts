import { beforeEach, expect, test, vi } from 'vitest';
import { fullLoadTime, repeatRounds, type RowTime } from '../../src/bench/repeat-rounds.ts';

let now = 0;
beforeEach(() => {
  now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});

/** Number of rounds of 10 ms each, clear from one on. */
async function roundsIn(time: RowTime, clearFrom: number): Promise<number> {
  let done = 0;
  const measure = (round: number): Promise<void> => {
    expect(round).toBe(done++);
    now += 10;
    return Promise.resolve();
  };
  await repeatRounds(measure, () => done >= clearFrom, time);
  return done;
}

test.each<[string, Partial<RowTime>, number, number]>([
  ['stop when they are clear', {}, 10, 10],
  // A look after each round would be wrong more often.
  ['are looked at after 10, 15, 22, 33 and so on', {}, 16, 22],
  ['are looked at so seldom whatever was asked for', { rounds: 4 }, 7, 9],
  ['are never less than asked for', {}, 1, 10],
  ['stop when another would end after the time', { end: 145 }, 100, 14],
  ['go on after the time if there are not enough', { end: 55 }, 1, 10],
  ['end with a strict time, enough or not', { end: 55, isStrict: true }, 1, 5],
  ['are at least one', { end: 5, isStrict: true }, 100, 1],
])('rounds %s', async (_, time, clearFrom, rounds) => {
  const all = { rounds: 10, end: 1000, isStrict: false, ...time };
  expect(await roundsIn(all, clearFrom)).toBe(rounds);
});

test('rounds at full load have a third of the time that is left', () => {
  now = 100;
  expect(fullLoadTime({ rounds: 3, end: 400, isStrict: true })).toEqual({
    rounds: 3,
    end: 200,
    isStrict: true,
  });
});
