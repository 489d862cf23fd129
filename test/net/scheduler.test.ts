import { EventEmitter, once } from 'node:events';
import { setImmediate as iteration } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FairQueue } from '../../src/net/queues.ts';
import { Arrivals, BOUNDS, ReadTurns, TurnBudget, turns } from '../../src/net/scheduler.ts';
import { Dispatch } from '../../src/server/dispatch.ts';
import { endpoint } from '../../src/server/endpoint.ts';
import {
  heldByValues,
  inThread,
  MemoryBudget,
  reserveResponse,
  serialize,
  takesLong,
} from '../../src/server/request-cost.ts';
import { startAdapters, until } from '../_adapters.ts';
import { dispatchOptions } from '../_dispatch.ts';
import { FakeExchange } from '../_exchange.ts';
import { GET, openSocket } from '../_raw.ts';

/** Sets the time, which passes only by the function that is returned. */
async function stoppedClock(): Promise<(time: number) => void> {
  // Whole, because a sum of fractions may differ from what was added.
  let now = Math.round(performance.now()) + 1000;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const start = now;
  // Work of the previous test counts for the iteration in which it began.
  await iteration();
  return (time) => {
    now = start + time;
  };
}

/** Connections of which it is noted whether they are read. */
function connections(count: number) {
  const all = Array.from({ length: count }, () => ({
    isRead: true,
    holdReading(): void {
      this.isRead = false;
    },
    releaseReading(): void {
      this.isRead = true;
    },
  }));
  return { all, read: () => all.filter(({ isRead }) => isRead).length };
}

/** Turns of reading in an iteration in which so many of the connections were read, after so many milliseconds. */
async function readIn(milliseconds: number, seen: number, count = 300) {
  const at = await stoppedClock();
  const arrivals = new Arrivals();
  const reading = new ReadTurns(arrivals);
  const { all, read } = connections(count);
  for (const each of all) reading.admit(() => each);
  await iteration();
  for (const each of all.slice(0, seen)) reading.count(each, performance.now());
  at(milliseconds);
  const [first] = all;
  if (first) reading.count(first, performance.now());
  return { at, arrivals, reading, first, read };
}

/** How many of ten jobs run at the same time. */
async function runAtOnce(isLarge: boolean): Promise<number> {
  let running = 0;
  const end = new EventEmitter();
  const jobs = Array.from({ length: 10 }, () =>
    inThread(
      new FakeExchange('/'),
      () => {
        running++;
        return once(end, 'end');
      },
      isLarge,
    ),
  );
  await iteration();
  const most = running;
  for (let done = running; done < 10; done = running) {
    end.emit('end');
    await iteration();
  }
  end.emit('end');
  await Promise.all(jobs);
  return most;
}

/** Whether a response of so many bytes is accepted by a memory of none, and whether it is sent as one piece. */
function responseOf(length: number, limit: number) {
  const exchange = new FakeExchange('/');
  const memory = new MemoryBudget(limit, () => undefined);
  const reserve = () => reserveResponse(memory, exchange, [], Buffer.alloc(length), undefined);
  return { reserve, isWhole: () => Buffer.isBuffer(reserve().payload) };
}

const isLong = (given: { fields?: string[]; target?: string }, length = 0): boolean =>
  takesLong(new FakeExchange(given.target ?? '/', { fields: given.fields ?? [] }), length);

/** For each row of the table, what fails if it is not enforced. */
const enforced: Readonly<Record<keyof typeof BOUNDS, () => Promise<void> | void>> = {
  async turn() {
    const at = await stoppedClock();
    const budget = new TurnBudget(new FairQueue());
    expect(budget.isSpent()).toBe(false);
    at(1);
    expect(budget.isSpent()).toBe(false);
    at(1.01);
    expect(budget.isSpent()).toBe(true);
  },

  async uncountedTime() {
    const at = await stoppedClock();
    const [short, long] = [{}, {}];
    const start = performance.now();
    const budget = new TurnBudget(new FairQueue());
    at(0.24);
    budget.count(start, short);
    at(0.26);
    budget.count(start, long);
    at(5);
    expect([short, long].map((owner) => budget.isSpentBy(owner))).toEqual([false, true]);
  },

  async reading() {
    expect((await readIn(10, 1)).first?.isRead).toBe(true);
    expect((await readIn(10.01, 1)).first?.isRead).toBe(false);
  },

  async readingEach() {
    expect((await readIn(50, 50)).read()).toBe(299);
    expect((await readIn(50.01, 50)).read()).toBe(50 - 1);
  },

  async readingAll() {
    expect((await readIn(100, 200)).read()).toBe(299);
    expect((await readIn(100.01, 200)).read()).toBe(200 - 1);
  },

  async readingWait() {
    const { at, arrivals, first } = await readIn(11, 1, 1);
    for (const [time, isRead] of [
      [210, false],
      [211, true],
    ] as const) {
      at(time);
      arrivals.add(() => undefined);
      await iteration();
      expect(first?.isRead).toBe(isRead);
    }
  },

  async acceptingWait() {
    const at = await stoppedClock();
    const arrivals = new Arrivals();
    const read = vi.fn<() => void>();
    arrivals.add(() => undefined);
    for (const [time, isRead] of [
      [999, false],
      [1000, true],
    ] as const) {
      at(time);
      arrivals.add(read);
      await iteration();
      expect(read.mock.calls.length > 0).toBe(isRead);
    }
  },

  async resumed() {
    const { read, reading, first } = await readIn(11, 1, 6000);
    if (first) reading.closed(first);
    let before = read();
    let most = 0;
    for (; read() < 5999; before = read()) {
      await iteration();
      most = Math.max(most, read() - before);
    }
    expect(most).toBe(1024);
  },

  async threadJobs() {
    expect(await runAtOnce(false)).toBe(4);
  },

  async largeThreadJobs() {
    expect(await runAtOnce(true)).toBe(2);
  },

  async overtaking() {
    const end = new EventEmitter();
    const running = serialize(new FakeExchange('/'), () => once(end, 'end'));
    const halfClosed = new FakeExchange('/');
    vi.spyOn(halfClosed.connection, 'clientHalfClosed', 'get').mockReturnValue(true);
    const order: string[] = [];
    const jobs = [serialize(halfClosed, () => order.push('half-closed'))];
    for (let at = 1; at <= 10; at++)
      jobs.push(serialize(new FakeExchange('/'), () => order.push(String(at))));
    await iteration();
    end.emit('end');
    await Promise.all([running, ...jobs]);
    expect(order.indexOf('half-closed')).toBe(4);
  },

  async smallPiece() {
    const { port, listener, outcomes } = await startAdapters();
    (await openSocket(port)).write(GET('/healthz'));
    await until(() => outcomes.length === 1);
    const [connection] = listener.connections;
    const deliver = (length: number): void => {
      const rest = length - GET('/healthz', 'a: \r\n').length;
      const bytes = Buffer.from(GET('/healthz', `a: ${'x'.repeat(rest)}\r\n`));
      expect(bytes).toHaveLength(length);
      connection?.stream.emit('data', bytes);
    };
    const at = await stoppedClock();
    turns.run(() => at(2));
    deliver(1024);
    expect(connection?.requests.total).toBe(2);
    deliver(1025);
    expect(connection?.requests.total).toBe(2);
    await until(() => outcomes.length === 3);
  },

  smallTarget() {
    expect(isLong({ target: 'x'.repeat(2048) })).toBe(false);
    expect(isLong({ target: 'x'.repeat(2049) })).toBe(true);
  },

  smallSection() {
    expect(isLong({ fields: ['x', 'x'.repeat(4095)] })).toBe(false);
    expect(isLong({ fields: ['x', 'x'.repeat(4096)] })).toBe(true);
  },

  smallFields() {
    expect(isLong({ fields: Array.from({ length: 256 }, () => 'x') })).toBe(false);
    expect(isLong({ fields: Array.from({ length: 258 }, () => 'x') })).toBe(true);
  },

  content() {
    expect(responseOf(65_536, 1e6).isWhole()).toBe(true);
    expect(responseOf(65_537, 1e6).isWhole()).toBe(false);
  },

  uncountedContent() {
    expect(isLong({}, 16_384)).toBe(false);
    expect(isLong({}, 16_385)).toBe(true);
    expect(responseOf(16_384, 0).reserve).not.toThrow();
    expect(responseOf(16_385, 0).reserve).toThrow(/memory/);
  },

  uncountedFields() {
    expect(heldByValues(96)).toBe(0);
    expect(heldByValues(97)).toBeGreaterThan(97 * 100);
  },

  async fieldMemory() {
    await stoppedClock();
    const path = '/waits';
    const common = { methods: 'any', group: 'content', summary: '', responses: {} } as const;
    const waits = endpoint({ ...common, path, handle: () => new Promise<never>(() => undefined) });
    const limits = { maxHeaderSize: 1e6, maxFields: 1000, maxOpenRequests: 1000 };
    const dispatch = new Dispatch({ ...dispatchOptions([waits]), ...limits });
    // 280,000 bytes each.
    const fields = ['Host', 'a', ...Array.from({ length: 1998 }, () => 'x')];
    const statuses = Array.from({ length: 229 }, () => {
      const exchange = new FakeExchange(path, { fields });
      dispatch.run(exchange);
      return exchange.sent[0]?.status;
    });
    expect(statuses.lastIndexOf(undefined)).toBe(227);
    expect(statuses[228]).toBe(503);
  },
};

test.each(Object.entries(enforced))('the bound %s is enforced', async (_, check) => {
  await check();
});
