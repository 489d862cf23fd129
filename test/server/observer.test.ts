import { expect, test } from 'vitest';
import { combineObservers, type ExchangeObserver } from '../../src/server/observer.ts';
import { FakeExchange } from '../_exchange.ts';

const exchange = new FakeExchange('/get');

/** Records the events that it is called for. */
class Recorder implements ExchangeObserver {
  readonly #name: string;
  readonly #events: unknown[];

  constructor(name: string, events: unknown[]) {
    this.#name = name;
    this.#events = events;
  }

  began(...event: unknown[]): void {
    this.#events.push([this.#name, ...event]);
  }

  responded(...event: unknown[]): void {
    this.#events.push([this.#name, ...event]);
  }
}

test('without observers no event has a method', () => {
  const methods = Object.values(combineObservers([undefined, {}]));
  expect(methods.length).toBeGreaterThan(10);
  expect(methods.every((method) => method === undefined)).toBe(true);
});

test('only events that an observer wants have a method, which has its `this`', () => {
  const events: unknown[] = [];
  const { began, responded, finished } = combineObservers([undefined, new Recorder('one', events)]);
  began?.(exchange);
  responded?.(exchange, 204);
  expect(events).toEqual([
    ['one', exchange],
    ['one', exchange, 204],
  ]);
  expect(finished).toBeUndefined();
});

test('observers are called in order, with all arguments', () => {
  const events: unknown[] = [];
  const one = new Recorder('one', events);
  const two: ExchangeObserver = { finished: (...event) => events.push(['two', ...event]) };
  const three = new Recorder('three', events);
  const { responded, finished } = combineObservers([one, two, three]);
  responded?.(exchange, undefined);
  finished?.(exchange, true);
  expect(events).toEqual([
    ['one', exchange, undefined],
    ['three', exchange, undefined],
    ['two', exchange, true],
  ]);
});
