import { expect, test } from 'vitest';
import { shared } from '../../src/cluster/shared.ts';

interface Asked {
  answer(value: number): void;
  fail(error: Error): void;
}

/** A question that the test answers, and each time that it was asked. */
function question() {
  const asked: Asked[] = [];
  const ask = shared(() => new Promise<number>((answer, fail) => asked.push({ answer, fail })));
  return { asked, ask };
}

const turn = (): Promise<void> => new Promise(setImmediate);

test('who comes while one is asked shares the next, which comes after it', async () => {
  const { asked, ask } = question();
  const first = [ask(), ask()];
  await turn();
  const second = [ask(), ask(), ask()];
  await turn();
  expect(asked).toHaveLength(1);
  asked[0]?.answer(1);
  expect(await Promise.all(first)).toEqual([1, 1]);
  await turn();
  expect(asked).toHaveLength(2);
  asked[1]?.answer(2);
  expect(await Promise.all(second)).toEqual([2, 2, 2]);
});

test('what fails, fails for those that share it only', async () => {
  const { asked, ask } = question();
  const first = [ask(), ask()].map((answer) => answer.catch((error: unknown) => error));
  await turn();
  const second = ask();
  const failure = new Error('so it is');
  asked[0]?.fail(failure);
  expect(await Promise.all(first)).toEqual([failure, failure]);
  await turn();
  asked[1]?.answer(2);
  expect(await second).toBe(2);
});
