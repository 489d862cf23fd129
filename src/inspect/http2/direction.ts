import { DEFAULT_WINDOW } from '../../wire/http2/frame.ts';
import { frameTypeName } from '../../wire/http2/names.ts';
import type { Sender } from '../protocol-reader.ts';
import { Http2FrameReader, type Frame } from './frames.ts';
import { HpackDecoder } from '../../wire/http2/hpack-decoder.ts';
import { SettingsState, type AnnouncedSetting } from './settings-state.ts';

export interface Http2DirectionOptions {
  /** Maximum size of the fields kept of a header section, by RFC 9113 6.5.2; 64 KiB by default. */
  readonly maxListSize?: number;
  /** Maximum size of a dynamic table; 64 KiB by default. */
  readonly maxTableSize?: number;
  /** Maximum bytes kept of a payload that is neither DATA nor a field block; 1024 by default. */
  readonly maxPayload?: number;
}

/** What one sender did. */
export interface Http2DirectionSummary {
  /** By type. */
  readonly frames: Readonly<Record<string, number>>;
  readonly settings: readonly AnnouncedSetting[];
  readonly settingsLeftOut: number;
  readonly settingsFrames: { readonly frames: number; readonly acknowledged: number };
  /** Bytes of DATA that may still be sent on the connection, and the least that there were. */
  readonly window: number;
  readonly lowestWindow: number;
  /** Why its bytes or field blocks are no longer read; undefined if they are. */
  readonly confused: string | undefined;
}

/** One direction of a connection: the readers of its frames, and its sender's settings and window. */
export class Http2Direction {
  readonly hpack: HpackDecoder;
  readonly reader: Http2FrameReader;
  readonly settings = new SettingsState();
  readonly frames = new Map<number, number>();
  /** Bytes of DATA that may still be sent on the connection. */
  window = DEFAULT_WINDOW;
  lowestWindow = DEFAULT_WINDOW;

  constructor(from: Sender, options: Http2DirectionOptions, onFrame: (frame: Frame) => void) {
    const { maxListSize = 65_536, maxTableSize = 65_536, maxPayload } = options;
    this.hpack = new HpackDecoder({ maxListSize, maxTableSize });
    this.reader = new Http2FrameReader({ from, hpack: this.hpack, maxPayload, onFrame });
  }

  /** Memory that the state of the readers takes, in bytes, about. */
  get bytesKept(): number {
    return this.hpack.bytesKept + this.reader.bytesKept;
  }

  summary(): Http2DirectionSummary {
    const { error } = this.hpack;
    const fields = error && `field blocks cannot be decoded: ${error.reason} (${error.section})`;
    return {
      frames: Object.fromEntries(
        [...this.frames].map(([type, count]) => [frameTypeName(type), count]),
      ),
      settings: this.settings.announced,
      settingsLeftOut: this.settings.announcedLeftOut,
      settingsFrames: this.settings.counts,
      window: this.window,
      lowestWindow: this.lowestWindow,
      confused: this.reader.confused ?? fields,
    };
  }
}
