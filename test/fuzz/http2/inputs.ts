import * as fc from 'fast-check';
import {
  Flag,
  frame,
  FrameSplitter,
  FrameType,
  PREFACE,
  uint32,
} from '../../../src/wire/http2/frame.ts';
import { mutations, piecesOf, place } from '../mutations.ts';
import { Client } from './client.ts';
import { anyStep, requests, settings } from './steps.ts';

/** The bytes of one connection of a client, as they are cut. */
export interface Input {
  readonly bytes: Buffer;
  readonly pieces: readonly Buffer[];
  /** Whether the client sends each piece when the service has nothing more to send. */
  readonly isSettled: boolean;
  /** Number of frames. */
  readonly frames: number;
}

/** The payload of the PING at the end of each input. */
export const END = Buffer.from('the end.');

const opening = fc.oneof(
  { weight: 20, arbitrary: fc.constant(frame(FrameType.settings, 0, 0)) },
  { weight: 6, arbitrary: settings.map((bytes) => frame(FrameType.settings, 0, 0, bytes)) },
  fc.constantFrom(
    frame(FrameType.settings, 1, 0),
    frame(FrameType.ping, 0, 0, Buffer.alloc(8)),
    frame(FrameType.windowUpdate, 0, 0, uint32(1)),
  ),
);

const steps = fc.array(anyStep, { maxLength: 12, size: 'max' });

/** The bytes of each step of a client, with the preface and SETTINGS first. */
const writes: fc.Arbitrary<readonly Buffer[]> = fc
  .tuple(opening, fc.boolean(), requests, steps)
  .map(([first, acknowledges, begin, list]) => {
    const client = new Client();
    const ack = acknowledges ? [frame(FrameType.settings, Flag.ack, 0)] : [];
    const sent: Buffer[] = [Buffer.concat([PREFACE, first, ...ack])];
    for (const make of [begin, ...list]) sent.push(make(client));
    return sent;
  });

/** Starts of frames and of field blocks. */
const TOKENS = [
  '\0\0\0\x04\0\0\0\0\0',
  '\0\0\x04\x08\0\0\0\0\x01',
  '\0\0\0\0\x01\0\0\0\x01',
  '\x82\x86\x84',
  '\0\x40',
];
const LAST = frame(FrameType.ping, 0, 0, END);

/** @param pieces from the preface on */
function inputFrom(pieces: readonly Buffer[], isSettled: boolean): Input {
  const bytes = Buffer.concat(pieces);
  const frames = new FrameSplitter().push(bytes.subarray(PREFACE.length)).length;
  return { bytes, pieces, isSettled, frames };
}

/** Parts of what a client sends, of which the first has the preface, and a PING. */
export const inputOf = (parts: readonly Buffer[], isSettled = true): Input =>
  inputFrom([...parts, LAST], isSettled);

// Step by step; cut anywhere; and with bytes that are changed.
const stepwise = writes.map((list) => inputOf(list));
const inPieces = fc
  .tuple(writes, fc.array(place, { maxLength: 8 }))
  .map(([list, cuts]) => inputFrom(piecesOf(Buffer.concat([...list, LAST]), cuts), false));
const changed = fc
  .tuple(
    mutations(
      writes.map((list) => Buffer.concat(list.slice(1))),
      TOKENS,
    ),
    fc.array(place, { maxLength: 3 }),
  )
  .map(([bytes, cuts]) => {
    const all = Buffer.concat([PREFACE, frame(FrameType.settings, 0, 0), bytes, LAST]);
    return inputFrom(piecesOf(all, cuts), false);
  });

/** Clients' frames: valid, nearly valid and broken ones. */
export const inputs: fc.Arbitrary<Input> = fc.oneof(
  { weight: 6, arbitrary: stepwise },
  { weight: 3, arbitrary: inPieces },
  { weight: 1, arbitrary: changed },
);
