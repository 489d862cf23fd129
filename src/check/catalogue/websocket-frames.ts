import { encodeFrame, Opcode, type WebSocketFrame } from '../../wire/websocket/frame.ts';
import { differs, fail, pass, type Verdict } from '../verdict.ts';
import type { Transfer } from '../message.ts';

/** Number of frames that are shown, and the bytes of content that are shown of each. */
const MAX_FRAMES = 10;
const MAX_SHOWN = 40;

/**
 * Judges frames that a target forwards. The outcome is `differs` if the same messages come in other frames, or Pings and
 * Pongs at other places: an intermediary may coalesce and split the frames of a message that is not compressed, and
 * control frames may be between any two (RFC 6455 5.4).
 */
export function judgeFrames(
  expected: readonly WebSocketFrame[],
  found: readonly WebSocketFrame[],
  ...evidence: readonly Transfer[]
): Verdict {
  const bytes = [expected, found].map((frames) => frames.map((each) => encodeFrame(each)));
  const [wanted = [], received = []] = bytes;
  if (Buffer.concat(wanted).equals(Buffer.concat(received))) return pass();
  const isCompressed = expected.some((frame) => frame.isCompressed);
  return !isCompressed && carriedBy(expected) === carriedBy(found)
    ? differs(shownFrames(found), ...evidence)
    : fail(shownFrames(expected), shownFrames(found), ...evidence);
}

/** What frames carry: the messages, with the Close frame that ends them, and the Pings and Pongs. */
function carriedBy(frames: readonly WebSocketFrame[]): string {
  const messages: string[] = [];
  const others: string[] = [];
  for (const { opcode, isFinal, isCompressed, content } of frames) {
    const text = content.toString('latin1');
    if (opcode === Opcode.ping || opcode === Opcode.pong) {
      others.push(`${opcode} ${text}`);
      continue;
    }
    const first = opcode === Opcode.continuation ? messages.pop() : `${opcode} ${isCompressed} `;
    messages.push(`${first}${text}`);
    if (isFinal) messages.push('');
  }
  return JSON.stringify([messages, others]);
}

/** Frames as text, such as `opcode 1 without FIN: in ; opcode 10: ping`. */
export function shownFrames(frames: readonly WebSocketFrame[]): string {
  const texts = frames.slice(0, MAX_FRAMES).map(({ opcode, isFinal, content }) => {
    const text = content.toString('latin1', 0, MAX_SHOWN);
    const rest = content.length > MAX_SHOWN ? `… (${content.length} bytes)` : '';
    return `opcode ${opcode}${isFinal ? '' : ' without FIN'}: ${text}${rest}`;
  });
  if (frames.length > MAX_FRAMES) texts.push(`… (${frames.length} frames)`);
  return texts.join('; ') || 'no frames';
}
