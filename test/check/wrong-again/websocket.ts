import type { WrongProxy } from '../_wrong.ts';
import { silentUpgrade } from '../wrong/websocket.ts';

/** Changes frames without a mask, which fit in a piece. */
const frames =
  (change: (frame: Buffer, opcode: number) => Buffer | undefined) =>
  (piece: Buffer): Buffer => {
    const out: Buffer[] = [];
    let at = 0;
    while (at + 2 <= piece.length) {
      const short = (piece[at + 1] ?? 0) & 0x7f;
      const isMasked = ((piece[at + 1] ?? 0) & 0x80) !== 0;
      let length = 2 + (isMasked ? 4 : 0) + short;
      if (short === 126) length = 4 + (isMasked ? 4 : 0) + piece.readUInt16BE(at + 2);
      if (short === 127) length = piece.length - at;
      if (at + length > piece.length) break;
      const changed = change(Buffer.from(piece.subarray(at, at + length)), (piece[at] ?? 0) & 0x0f);
      if (changed) out.push(changed);
      at += length;
    }
    return Buffer.concat([...out, piece.subarray(at)]);
  };

function countingBytes(
  change: (piece: Buffer, before: number) => Buffer,
): (piece: Buffer) => Buffer {
  let before = 0;
  return (piece) => {
    const changed = change(piece, before);
    before += piece.length;
    return changed;
  };
}

const reordering = (): ((piece: Buffer) => Buffer) => (piece) => {
  const control: Buffer[] = [];
  const rest = frames((frame, opcode) => {
    if (opcode !== 9 && opcode !== 10) return frame;
    control.push(frame);
    return undefined;
  })(piece);
  return Buffer.concat([rest, ...control]);
};

const bytes = (frame: Buffer, at: number, value: number): Buffer => {
  frame[at] = value;
  return frame;
};

/** Changes the value of one field. */
const of =
  (wanted: string, change: (value: string) => string) =>
  (value: string, name: string): string =>
    name === wanted ? change(value) : value;

export const wrongWebSocketsAgain: readonly WrongProxy[] = [
  silentUpgrade('changes Sec-WebSocket-Accept', 'websocket/handshake', {
    value: of('sec-websocket-accept', (value) => value.replace('=', '')),
  }),
  silentUpgrade('says keep-alive in place of Upgrade with 101', 'websocket/handshake', {
    value: of('connection', () => 'keep-alive'),
  }),
  silentUpgrade('drops pings of the origin', 'websocket/frames', {
    change: frames((frame, opcode) => (opcode === 9 ? undefined : frame)),
  }),
  silentUpgrade(
    'has pings after the fragments',
    { 'websocket/frames': 'differs' },
    { change: reordering() },
  ),
  silentUpgrade(
    'has pings of the client after the fragments',
    { 'websocket/fragments': 'differs' },
    { changeSent: reordering() },
  ),
  silentUpgrade('takes text for binary data', ['websocket/text', 'websocket/frames'], {
    change: frames((frame, opcode) =>
      opcode === 1 ? bytes(frame, 0, ((frame[0] ?? 0) & 0xf0) | 2) : frame,
    ),
  }),
  silentUpgrade('drops empty messages of the client', 'websocket/text', {
    changeSent: frames((frame) => (((frame[1] ?? 0) & 0x7f) === 0 ? undefined : frame)),
  }),
  silentUpgrade('changes one byte of binary data of the origin', 'websocket/binary', {
    change: frames((frame, opcode) =>
      opcode === 2 ? bytes(frame, frame.length - 1, (frame.at(-1) ?? 0) ^ 0x80) : frame,
    ),
  }),
  silentUpgrade('changes a byte after 64 KiB', 'websocket/large', {
    change: countingBytes((piece, before) =>
      before >= 65_536 ? bytes(Buffer.from(piece), piece.length - 1, 33) : piece,
    ),
  }),
  silentUpgrade('changes a byte of the client after 64 KiB', 'websocket/large', {
    changeSent: countingBytes((piece, before) =>
      before >= 65_536 ? bytes(Buffer.from(piece), 10, 33) : piece,
    ),
  }),
  silentUpgrade('shortens the reason of a Close frame', 'websocket/close', {
    change: frames((frame, opcode) =>
      opcode === 8 && frame.length > 5 ? bytes(frame.subarray(0, -1), 1, frame.length - 3) : frame,
    ),
  }),
  silentUpgrade('sends the next code in a Close frame', 'websocket/close', {
    change: frames((frame, opcode) =>
      opcode === 8 ? bytes(frame, 3, (frame[3] ?? 0) + 1) : frame,
    ),
  }),
  silentUpgrade('offers only the first protocol', 'websocket/offered', {
    sentValue: of('sec-websocket-protocol', (value) => value.replace(/,.*/, '')),
  }),
  silentUpgrade('offers no quotes', 'websocket/offered', {
    sentValue: of('sec-websocket-extensions', (value) => value.replaceAll('"', '')),
  }),
  silentUpgrade('offers the last extension only', 'websocket/offered', {
    sentValue: of('sec-websocket-extensions', (value) => value.replace(/.*,\s*/, '')),
  }),
  silentUpgrade('selects another protocol', 'websocket/selected', {
    value: of('sec-websocket-protocol', () => 'check.a'),
  }),
  silentUpgrade(
    'closes a connection 4 s after the other has closed',
    ['websocket/origin-closes', 'websocket/client-closes', 'websocket/client-resets'],
    { endsAfter: 4000 },
  ),
];
