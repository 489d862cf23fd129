import { expect, test } from 'vitest';
import { Control } from '../../src/server/control.ts';
import { FakeExchange } from '../_exchange.ts';

test('the exit follows what else observes the request', async () => {
  const events: string[] = [];
  const control = new Control(
    'token',
    {
      setReady: async () => undefined,
      rehearseDrain: async () => true,
      exit: (code) => events.push(`exit ${code}`),
    },
    { lag: 0, timeout: 0, down: 0 },
  );
  const exchange = new FakeExchange('/control/exit');
  control.exitAfter(exchange, 3);
  await new Promise(setImmediate);
  expect(events).toEqual([]);
  exchange.finish();
  // As protocols do.
  events.push('finished');
  await new Promise(setImmediate);
  expect(events).toEqual(['finished', 'exit 3']);
});
