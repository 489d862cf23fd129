import { DEFAULT_WINDOW } from '../../wire/http2/frame.ts';
import type { Sender } from '../protocol-reader.ts';
import { Http2FrameReader, type Frame } from './frames.ts';
import { HpackDecoder } from '../../wire/http2/hpack-decoder.ts';
import { SettingsState } from './settings-state.ts';

const MAX_TABLE_SIZE = 65_536;

/** One direction of a connection: the readers of its frames and field blocks, its sender's settings and window. */
export class Http2Direction {
  readonly hpack: HpackDecoder;
  readonly reader: Http2FrameReader;
  readonly settings = new SettingsState();
  /** Number of frames by type, of which there are at most 256. */
  readonly frames = new Map<number, number>();
  /** The connection's flow-control window for this sender, in bytes. */
  window = DEFAULT_WINDOW;
  lowestWindow = DEFAULT_WINDOW;

  /** @param maxListSize maximum size of the fields that are kept of a header section, counted by RFC 9113 6.5.2 */
  constructor(from: Sender, maxListSize: number, onFrame: (frame: Frame) => void) {
    this.hpack = new HpackDecoder({ maxListSize, maxTableSize: MAX_TABLE_SIZE });
    this.reader = new Http2FrameReader(from, this.hpack, onFrame);
  }

  /** Estimated memory of the readers in bytes. */
  get bytesKept(): number {
    return this.hpack.bytesKept + this.reader.bytesKept;
  }

  /** Why its bytes or field blocks are no longer read; undefined if they are. */
  get confused(): string | undefined {
    const { error } = this.hpack;
    const fields = error && `field blocks cannot be decoded: ${error.reason} (${error.section})`;
    return this.reader.confused ?? fields;
  }
}
