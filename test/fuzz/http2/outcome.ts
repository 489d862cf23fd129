import {
  Flag,
  FrameSplitter,
  FrameType,
  PREFACE,
  SettingId,
  type RawFrame,
} from '../../../src/wire/http2/frame.ts';
import { parseSettings } from '../../../src/wire/http2/frame-payload.ts';
import { HpackDecoder } from '../../../src/wire/http2/hpack-decoder.ts';
import { errorCodeName } from '../../../src/wire/http2/names.ts';
import { END, type Input } from './inputs.ts';

/** What has come back from a service. */
export interface Outcome {
  /** The name of an error code and, if it is told, the reason; otherwise whether the connection is of use at the end. */
  readonly end: string;
  /** Whether GOAWAY had an error code, and below, whether there was one with NO_ERROR. */
  readonly hasFailed: boolean;
  readonly isClosing: boolean;
  /** The last stream of the last GOAWAY; undefined without one. */
  readonly lastStream: number | undefined;
  /** Number of acknowledged PINGs and SETTINGS. */
  readonly acknowledged: number;
  /** Bytes of content, on all streams. */
  readonly content: number;
  /** What came on each stream, as text. */
  readonly streams: ReadonlyMap<number, string>;
}

/** Fields of responses that are never the same. */
const VARYING = new Set(['date', 'x-request-id', 'x-response-time']);
const SETTING_LENGTH = 6;

/** SETTINGS_HEADER_TABLE_SIZE in each SETTINGS of a client; undefined without it. */
function tableSizes({ bytes }: Input): (number | undefined)[] {
  return new FrameSplitter()
    .push(bytes.subarray(PREFACE.length))
    .filter(({ type, flags }) => type === FrameType.settings && (flags & Flag.ack) === 0)
    .map(({ payload }) => {
      if (payload.length % SETTING_LENGTH !== 0) return undefined;
      return parseSettings(payload).findLast(({ id }) => id === SettingId.headerTableSize)?.value;
    });
}

/** Reads the frames of a service as a client does. */
class FrameText {
  readonly #decoder = new HpackDecoder();
  readonly #sizes: (number | undefined)[];
  readonly #content = new Map<number, string>();
  readonly streams = new Map<number, string>();
  content = 0;
  acknowledged = 0;
  isClosing = false;
  isAnswered = false;
  goaway: { readonly last: number; readonly code: string; readonly reason: string } | undefined;

  constructor(input: Input) {
    this.#sizes = tableSizes(input);
  }

  read({ type, flags, stream, payload }: RawFrame): void {
    const isAck = (flags & Flag.ack) !== 0;
    const end = (flags & Flag.endStream) === 0 ? '' : ', end';
    switch (type) {
      case FrameType.headers:
        this.#add(stream, `${this.#fields(payload)}${end}`);
        break;
      case FrameType.data: {
        const content = (this.#content.get(stream) ?? '') + payload.toString('latin1');
        this.#content.set(stream, content);
        this.content += payload.length;
        if (end !== '') this.#endContent(stream, content, end);
        break;
      }
      case FrameType.rstStream:
        this.#add(stream, `reset ${errorCodeName(payload.readUInt32BE())}`);
        break;
      case FrameType.goaway:
        this.goaway = {
          last: payload.readUInt32BE(),
          code: errorCodeName(payload.readUInt32BE(4)),
          reason: payload.subarray(8).toString('latin1'),
        };
        this.isClosing ||= this.goaway.code === 'NO_ERROR';
        break;
      case FrameType.ping:
        this.acknowledged += Number(isAck);
        this.isAnswered ||= isAck && payload.equals(END);
        break;
      case FrameType.settings:
        if (isAck) this.#acknowledge();
        break;
      default:
    }
  }

  /** Call after the last frame. */
  endAll(): void {
    for (const [stream, content] of this.#content) this.#endContent(stream, content, '');
  }

  #acknowledge(): void {
    this.acknowledged++;
    const size = this.#sizes.shift();
    if (size !== undefined) this.#decoder.setTableSizeLimit(size);
  }

  #endContent(stream: number, content: string, end: string): void {
    this.#content.delete(stream);
    this.#add(stream, `${content.length} bytes ${content.slice(0, 300)}${end}`);
  }

  #fields(block: Buffer): string {
    const { fields, error } = this.#decoder.decode(block);
    if (error) return `a block with an error: ${error.reason}`;
    const lines = fields.filter(({ name }) => !VARYING.has(name));
    return lines.map(({ name, value }) => `${name}=${value}`).join(' ');
  }

  #add(stream: number, text: string): void {
    this.streams.set(stream, `${this.streams.get(stream) ?? ''}[${text}]`);
  }
}

/** What the frames of a service say. @param isClosed whether the service has closed the connection */
export function outcomeOf(frames: readonly RawFrame[], input: Input, isClosed: boolean): Outcome {
  const text = new FrameText(input);
  for (const each of frames) text.read(each);
  text.endAll();
  const { goaway, streams, acknowledged, content, isClosing } = text;
  const hasFailed = goaway !== undefined && goaway.code !== 'NO_ERROR';
  const state = text.isAnswered ? 'goes on' : isClosed ? 'closes' : 'waits';
  const end = hasFailed
    ? `${goaway.code}: ${goaway.reason}`
    : `${state}${goaway ? ', GOAWAY' : ''}`;
  return {
    end,
    hasFailed,
    isClosing,
    lastStream: goaway?.last,
    acknowledged,
    content,
    streams,
  };
}
