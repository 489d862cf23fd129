import { expect, test } from 'vitest';
import { coalesce } from '../../src/cluster/coalesce.ts';

interface PendingCall {
  resolve(value: number): void;
  reject(error: Error): void;
}

/** A coalesced function, and its pending calls, which the test settles. */
function coalesced() {
  const calls: PendingCall[] = [];
  const call = coalesce(
    () => new Promise<number>((resolve, reject) => calls.push({ resolve, reject })),
  );
  return { calls, call };
}

const turn = (): Promise<void> => new Promise(setImmediate);

test('callers that arrive during a call share the next one', async () => {
  const { calls, call } = coalesced();
  const first = [call(), call()];
  await turn();
  const second = [call(), call(), call()];
  await turn();
  expect(calls).toHaveLength(1);
  calls[0]?.resolve(1);
  expect(await Promise.all(first)).toEqual([1, 1]);
  await turn();
  expect(calls).toHaveLength(2);
  calls[1]?.resolve(2);
  expect(await Promise.all(second)).toEqual([2, 2, 2]);
});

test('an error only affects the callers that share the call', async () => {
  const { calls, call } = coalesced();
  const first = [call(), call()].map((result) => result.catch((error: unknown) => error));
  await turn();
  const second = call();
  const failure = new Error('failed');
  calls[0]?.reject(failure);
  expect(await Promise.all(first)).toEqual([failure, failure]);
  await turn();
  calls[1]?.resolve(2);
  expect(await second).toBe(2);
});
