import type { FrameHeader } from '../wire/http2/frame.ts';
import type { FramePayload, Priority, Setting } from '../wire/http2/frame-payload.ts';

/** PRIORITY frames that are kept; browsers send up to six. */
const MAX_PRIORITIES = 64;

/** Collects what a client's HTTP/2 fingerprint is made of, PRIORITY frames after its first request included. */
export class ClientOpening {
  /** PRIORITY frames, in order. */
  readonly priorities: (Priority & { readonly stream: number })[] = [];
  prioritiesLeftOut = 0;
  /** Of its first SETTINGS; undefined without them. */
  settings: readonly Setting[] | undefined;
  /** Of its first WINDOW_UPDATE of the connection; undefined without one. */
  increment: number | undefined;

  /** Call with each frame of the client. */
  add({ stream, payload }: Pick<FrameHeader, 'stream'> & { readonly payload: FramePayload }): void {
    if (payload.kind === 'settings' && !payload.ack) this.settings ??= payload.settings;
    else if (payload.kind === 'window-update' && stream === 0) {
      this.increment ??= payload.increment;
    } else if (payload.kind === 'priority') {
      if (this.priorities.length === MAX_PRIORITIES) this.prioritiesLeftOut++;
      else this.priorities.push({ stream, ...payload.priority });
    }
  }
}
