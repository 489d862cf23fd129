import { expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import { collectGarbage } from '../_garbage.ts';
import { openConnection, startInspection } from './_inspection.ts';

test('what a protocol has told an inspection to call is not kept once the connection has closed', async () => {
  const inspection = startInspection();
  const connection = openConnection(inspection);
  const told = new WeakRef(listenTo(connection));
  inspection.closed(connection);
  await until(() => {
    collectGarbage();
    return told.deref() === undefined;
  });
  expect(inspection.find(connection.id)).toBeDefined();
});

function listenTo(connection: ReturnType<typeof openConnection>): object {
  const state = {};
  connection.inspector?.onStreamRefused(() => void state);
  return state;
}
