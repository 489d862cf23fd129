import { randomFillSync } from 'node:crypto';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,128}$/;

/** The identifier sent by the client if it is 1 to 128 visible ASCII characters, otherwise a new one. */
export function requestId(sent: string | undefined): string {
  return sent !== undefined && VISIBLE_ASCII.test(sent) ? sent : randomUuid();
}

const BATCH = 256;
const BYTES = 16;
const LENGTH = 36;
const DIGITS = Buffer.from('0123456789abcdef', 'latin1');
const HYPHEN = 0x2d;
const random = Buffer.allocUnsafeSlow(BATCH * BYTES);

let batch = '';
let next = 0;

/**
 * A UUIDv4 (RFC 9562 5.4). Every response needs one: `crypto.randomUUID` concatenates twenty strings
 * for each, this slices a string generated for 256 of them.
 */
export function randomUuid(): string {
  if (next === batch.length) {
    batch = uuids();
    next = 0;
  }
  const start = next;
  next += LENGTH;
  return batch.slice(start, next);
}

function uuids(): string {
  randomFillSync(random);
  const text = Buffer.allocUnsafe(BATCH * LENGTH);
  let end = 0;
  for (let at = 0; at < random.length; at++) {
    const position = at % BYTES;
    if (position === 4 || position === 6 || position === 8 || position === 10) {
      text[end++] = HYPHEN;
    }
    let byte = random[at] ?? 0;
    if (position === 6) byte = (byte & 0x0f) | 0x40;
    else if (position === 8) byte = (byte & 0x3f) | 0x80;
    text[end++] = DIGITS[byte >> 4] ?? 0;
    text[end++] = DIGITS[byte & 0x0f] ?? 0;
  }
  return text.toString('latin1');
}
