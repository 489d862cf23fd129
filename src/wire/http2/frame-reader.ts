import { FRAME_HEADER_LENGTH, readFrameHeader, type RawFrame } from './frame.ts';

/** Splits bytes into frames. */
export class FrameSplitter {
  #rest: Buffer = Buffer.alloc(0);

  /** @returns the frames that are complete with the piece */
  push(piece: Buffer): RawFrame[] {
    this.#rest = Buffer.concat([this.#rest, piece]);
    const frames: RawFrame[] = [];
    while (this.#rest.length >= FRAME_HEADER_LENGTH) {
      const { type, flags, stream, length } = readFrameHeader(this.#rest, 0);
      const end = FRAME_HEADER_LENGTH + length;
      if (this.#rest.length < end) break;
      frames.push({ type, flags, stream, payload: this.#rest.subarray(FRAME_HEADER_LENGTH, end) });
      this.#rest = this.#rest.subarray(end);
    }
    return frames;
  }
}
