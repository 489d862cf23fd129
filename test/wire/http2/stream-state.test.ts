import { expect, test } from 'vitest';
import {
  Refusal,
  stateAfter,
  StreamEvent,
  StreamState,
} from '../../../src/wire/http2/stream-state.ts';

const nameOf = (names: Readonly<Record<string, number>>, value: number): string =>
  Object.entries(names).find(([, each]) => each === value)?.[0] ?? '';

/** RFC 9113 5.1, figure 2 and the text below it: what an event in a state leads to. */
const ROWS: readonly [
  keyof typeof StreamState,
  Readonly<Record<keyof typeof StreamEvent, string>>,
][] = [
  [
    'idle',
    {
      sendHeaders: 'open',
      sendData: 'unsendable',
      sendEnd: 'unsendable',
      sendReset: 'unsendable',
      receiveHeaders: 'open',
      receiveData: 'refused as idle',
      receiveEnd: 'refused as idle',
      receiveReset: 'refused as idle',
      receiveWindowUpdate: 'refused as idle',
    },
  ],
  [
    'open',
    {
      sendHeaders: 'open',
      sendData: 'open',
      sendEnd: 'halfClosedLocal',
      sendReset: 'closed',
      receiveHeaders: 'open',
      receiveData: 'open',
      receiveEnd: 'halfClosedRemote',
      receiveReset: 'closed',
      receiveWindowUpdate: 'open',
    },
  ],
  [
    'halfClosedLocal',
    {
      sendHeaders: 'unsendable',
      sendData: 'unsendable',
      sendEnd: 'unsendable',
      sendReset: 'closed',
      receiveHeaders: 'halfClosedLocal',
      receiveData: 'halfClosedLocal',
      receiveEnd: 'closed',
      receiveReset: 'closed',
      receiveWindowUpdate: 'halfClosedLocal',
    },
  ],
  [
    'halfClosedRemote',
    {
      sendHeaders: 'halfClosedRemote',
      sendData: 'halfClosedRemote',
      sendEnd: 'closed',
      sendReset: 'closed',
      receiveHeaders: 'refused as closed',
      receiveData: 'refused as closed',
      receiveEnd: 'refused as closed',
      receiveReset: 'closed',
      receiveWindowUpdate: 'halfClosedRemote',
    },
  ],
  [
    'closed',
    {
      sendHeaders: 'unsendable',
      sendData: 'unsendable',
      sendEnd: 'unsendable',
      sendReset: 'unsendable',
      receiveHeaders: 'refused as closed',
      receiveData: 'refused as closed',
      receiveEnd: 'refused as closed',
      receiveReset: 'ignored',
      receiveWindowUpdate: 'ignored',
    },
  ],
];

function outcome(next: number): string {
  if (next >= 0) return nameOf(StreamState, next);
  const refusal = nameOf(Refusal, next);
  return refusal === 'idle' || refusal === 'closed' ? `refused as ${refusal}` : refusal;
}

test.each(ROWS)('a stream that is %s', (state, row) => {
  const found = Object.entries(StreamEvent).map(([event, at]) => [
    event,
    outcome(stateAfter(StreamState[state], at)),
  ]);
  expect(Object.fromEntries(found)).toEqual(row);
});
