import { expect, test } from 'vitest';
import { Tap } from '../../../src/telemetry/tap/tap.ts';
import { FakeExchange } from '../../_exchange.ts';

const MAX_READERS = 16;
const options = {
  filter: { path: undefined, connection: undefined, kinds: undefined },
  lastEventId: undefined,
  duration: 1,
};

test('a reader counts from its request on, until that is over', () => {
  const tap = new Tap({ secrets: false });
  const requests = Array.from({ length: MAX_READERS + 1 }, () => new FakeExchange('/tap'));
  const read = (request: FakeExchange | undefined): void => {
    if (request) tap.read(request, options);
  };
  const [first, ...rest] = requests;
  const last = rest.pop();
  for (const request of [first, ...rest]) read(request);
  expect(() => read(last)).toThrow(`/tap already has ${MAX_READERS} readers`);
  first?.finish();
  read(last);
});
