import { errorCodeName } from '../../wire/http2/names.ts';
import type { Sender } from '../protocol-reader.ts';

export interface Goaway {
  readonly from: Sender;
  readonly at: number;
  readonly lastStream: number;
  readonly code: string;
  readonly debugData: string;
}

const MAX_KEPT = 4;

/** The first four GOAWAY frames of a connection, of both sides. */
export class Goaways {
  readonly kept: Goaway[] = [];
  /** Number of further ones. */
  leftOut = 0;

  add(from: Sender, at: number, lastStream: number, code: number, debugData: string): void {
    if (this.kept.length < MAX_KEPT) {
      this.kept.push({ from, at, lastStream, code: errorCodeName(code), debugData });
    } else this.leftOut++;
  }
}
