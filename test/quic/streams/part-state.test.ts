import { expect, test } from 'vitest';
import {
  receivingStateAfter,
  sendingStateAfter,
  type ReceivingState,
  type ReceivingStep,
  type SendingState,
  type SendingStep,
} from '../../../src/quic/streams/part-state.ts';

const SENDING_STEPS: readonly SendingStep[] = [
  'send',
  'finish',
  'reset',
  'all-acknowledged',
  'reset-acknowledged',
];
const RECEIVING_STEPS: readonly ReceivingStep[] = ['finish', 'all-received', 'reset', 'read'];

// RFC 9000 3.1, figure 2 and the text below it; `-` is a step that the state does not have.
test.each<[SendingState, string]>([
  ['ready', 'send - reset-sent - -'],
  ['send', 'send data-sent reset-sent - -'],
  ['data-sent', 'data-sent data-sent reset-sent data-received -'],
  ['reset-sent', '- - - - reset-received'],
  ['data-received', '- - - - -'],
  ['reset-received', '- - - - -'],
])('a sending part that is %s', (state, expected) => {
  const found = SENDING_STEPS.map((step) => sendingStateAfter(state, step) ?? '-');
  expect(found.join(' ')).toBe(expected);
});

// RFC 9000 3.2, figure 3 and the text below it.
test.each<[ReceivingState, string]>([
  ['receive', 'size-known - reset-received -'],
  ['size-known', 'size-known data-received reset-received -'],
  ['data-received', '- - - data-read'],
  ['reset-received', '- - - reset-read'],
  ['data-read', '- - - -'],
  ['reset-read', '- - - -'],
])('a receiving part that is %s', (state, expected) => {
  const found = RECEIVING_STEPS.map((step) => receivingStateAfter(state, step) ?? '-');
  expect(found.join(' ')).toBe(expected);
});
