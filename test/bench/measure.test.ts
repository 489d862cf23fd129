import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inTurn, Side } from '../../src/bench/measure.ts';
import { ask } from '../../src/bench/protocol.ts';
import type { Scenario } from '../../src/bench/scenarios.ts';
import { Target } from '../../src/check/target.ts';
import { createService, type Service } from '../../src/index.ts';

let service: Service;
beforeAll(async () => {
  service = await createService();
});
afterAll(() => service.close());

test('sides take turns in going first, also when rounds are added', async () => {
  const order: string[] = [];
  const measure = async (side: string): Promise<void> => void order.push(side);
  await inTurn(['a', 'b'], 1, measure);
  await inTurn(['a', 'b'], 2, measure, 1);
  expect(order.join('')).toBe('abbaab');
});

const part: Scenario = {
  id: 'part',
  method: 'GET',
  path: '/range/100',
  fields: [['range', 'bytes=1-3']],
  status: 206,
  opensConnections: false,
  isContent: (content) => content.toString() === 'bcd',
  isFixedLength: true,
};

const counts = { rounds: 1, connections: 2, h2Connections: 2, streams: 2 };
const settings = { ...counts, seconds: 0.1, rate: undefined, timeout: 30_000 };

describe.each(['http/1.1', 'h2c'] as const)('over %s', (protocol) => {
  test.each([
    ['is right', part, undefined],
    ['is another', { ...part, status: 200 }, 'status 206'],
  ])(
    'a request has fields of its own, and the status of its response %s',
    async (_, scenario, failure) => {
      const target = new Target({ url: new URL(service.httpOrigin), insecure: false });
      expect(await ask(target, protocol, scenario, 30_000)).toMatchObject({ length: 3, failure });
      const side = new Side({ target, protocol, origin: undefined }, scenario, settings, 3);
      await side.measureFullLoad(new AbortController().signal);
      expect(side.tally.requests).toBeGreaterThan(1);
      expect(Object.keys(side.tally.errors)).toEqual(failure === undefined ? [] : [failure]);
    },
  );
});
