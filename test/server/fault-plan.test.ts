import { expect, test } from 'vitest';
import { letters } from '../../src/endpoints/range.ts';
import { perform, type FaultStage } from '../../src/server/fault-plan.ts';

/** Keeps what it is given. */
class Stage implements FaultStage<never> {
  readonly pieces: Buffer[] = [];
  readonly signal = new AbortController().signal;
  readonly delivery = { signal: this.signal, bytes: 0 };

  bytes = async (): Promise<boolean> => true;
  sendAtRate = async (): Promise<boolean> => true;
  sizeOf = (left: number): number => Math.min(left, 1000);
  content = async (piece: Buffer): Promise<boolean> => this.pieces.push(piece) > 0;
  close = (): void => undefined;
  own = (): boolean => true;
}

test('content is sent as it is, not copied: clients that do not read would each hold a copy', async () => {
  const stage = new Stage();
  const steps = [
    { do: 'content', bytes: 1500 },
    { do: 'content', bytes: Infinity },
  ] as const;
  await perform(steps, letters({ first: 0, last: 2599 }), stage);
  expect(stage.pieces.map(({ length }) => length)).toEqual([1000, 500, 1000, 100]);
  const whole = 'abcdefghijklmnopqrstuvwxyz'.repeat(100);
  expect(Buffer.concat(stage.pieces).toString()).toBe(whole);
  const shared = letters({ first: 0, last: 0 }).next(1);
  expect(stage.pieces.filter(({ buffer }) => buffer !== shared?.buffer)).toEqual([]);
});
