import { Adapter } from '../adapter.ts';
import type { Session } from './session.ts';

/** The open sessions of HTTP/2 (RFC 9113), cleartext and over TLS. */
export abstract class SessionAdapter<Open extends Session> extends Adapter<Open> {
  /** Sends GOAWAY on every session, and on new ones after their first stream. Open streams are completed. */
  drain(): void {
    for (const session of this.open) session.close('graceful', 'draining');
  }

  override close(): void {
    super.close();
    this.abort();
  }

  abort(): void {
    for (const session of this.open) session.close('abort', 'stopped');
  }
}
