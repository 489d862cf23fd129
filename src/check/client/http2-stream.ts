import { ReceiveWindow } from '../../wire/http2/receive-window.ts';
import { valueOf, type FieldLine, type ResponseHead } from '../message.ts';

/** A stream of the client, from HEADERS on. */
export class ClientStream {
  readonly id: number;
  readonly method: string;
  readonly interim: ResponseHead[] = [];
  readonly content: Buffer[] = [];
  readonly startedAt = performance.now();
  head: ResponseHead | undefined;
  trailers: readonly FieldLine[] = [];
  isEnded = false;
  /** Whether DATA came before the final header section, which is malformed (RFC 9113 8.1). */
  hasEarlyContent = false;
  resetCode: number | undefined;
  headAt: number | undefined;
  /** Bytes that the stream's flow-control window still allows the client to send. */
  window: number;
  readonly receiving: ReceiveWindow;

  /** @param window of the server, and @param ownWindow of the client, in bytes */
  constructor(id: number, method: string, window: number, ownWindow: number) {
    this.receiving = new ReceiveWindow(ownWindow);
    this.id = id;
    this.method = method;
    this.window = window;
  }

  /** Takes a field section: that of an interim response, of the final response, or trailers. */
  receiveSection(lines: readonly FieldLine[], ends: boolean): void {
    const status = Number(lines.find(([name]) => name === ':status')?.[1]);
    const fields = lines.filter(([name]) => !name.startsWith(':'));
    if (this.head) this.trailers = fields;
    else if (status >= 100 && status < 200) this.interim.push({ status, fields });
    else {
      this.head = { status, fields };
      this.headAt = performance.now();
    }
    if (ends) this.isEnded = true;
  }

  /** Bytes of content that have been received. */
  get contentLength(): number {
    return this.content.reduce((sum, { length }) => sum + length, 0);
  }
}

/** Whether the content is as long as content-length says (RFC 9113 8.1.1). */
export function hasDeclaredLength({ method, head, contentLength }: ClientStream): boolean {
  const length = valueOf(head?.fields ?? [], 'content-length');
  if (length === undefined || method === 'HEAD' || head?.status === 304) return true;
  return Number(length) === contentLength;
}
