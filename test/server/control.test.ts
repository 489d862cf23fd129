import { expect, test } from 'vitest';
import { Control } from '../../src/server/control.ts';
import { FakeExchange } from '../_exchange.ts';

test('the exit follows what else observes the request', () => {
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
  exchange.observer = {
    responded: (_request, status) => events.push(`responded ${status}`),
    finished: (_request, isComplete) => events.push(`finished ${isComplete}`),
  };
  control.exitAfter(exchange, 3);
  exchange.observer.responded(exchange, 202);
  expect(events).toEqual(['responded 202']);
  exchange.observer.finished(exchange, true);
  expect(events).toEqual(['responded 202', 'finished true', 'exit 3']);
});
