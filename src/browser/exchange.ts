import { OWN_FIELD, sentContent, type Request } from './request.ts';

/** Bytes of content that are kept. */
const MAX_KEPT = 256 * 1024;
/** Milliseconds to wait for the browser's timing after a response has ended. */
const TIMING_WAIT = 300;

/** The request as the browser takes it: without fields that scripts cannot set, with the Content-Type of text. */
export function accepted(request: Request): globalThis.Request {
  const { method, target, fields } = request;
  const body = sentContent(request) || null;
  const headers = fields.map(([name, value]): [string, string] => [name, value]);
  return new globalThis.Request(target, { method, headers, body, cache: 'no-store' });
}

/** A response with the content received so far. */
export interface Received {
  readonly response: Response;
  /** The first `MAX_KEPT` bytes of the content. */
  readonly bytes: Uint8Array;
  /** Bytes of content received so far, after content decoding. */
  readonly length: number;
  readonly isComplete: boolean;
}

/**
 * Sends a request.
 *
 * @param onProgress called with the response, and at most once per animation frame while content arrives
 * @throws if there is no response, or its content ends early
 */
export async function send(
  request: globalThis.Request,
  signal: AbortSignal,
  onProgress: (received: Received) => void,
): Promise<Received> {
  const response = await fetch(request, { signal });
  let received: Received = { response, bytes: new Uint8Array(), length: 0, isComplete: false };
  onProgress(received);
  let frame = 0;
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const piece = await reader?.read();
      if (!piece || piece.done) return { ...received, isComplete: true };
      received = extended(received, piece.value);
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        onProgress(received);
      });
    }
  } catch (error) {
    onProgress(received);
    throw error;
  } finally {
    cancelAnimationFrame(frame);
  }
}

function extended(received: Received, piece: Uint8Array): Received {
  const { bytes, length } = received;
  const kept = piece.subarray(0, MAX_KEPT - bytes.length);
  const all = new Uint8Array(bytes.length + kept.length);
  all.set(bytes);
  all.set(kept, bytes.length);
  return { ...received, bytes: all, length: length + piece.length };
}

/** Requests what the page itself needs, which the tap leaves out. */
export function fetchOwn(
  url: string,
  fields: Readonly<Record<string, string>> = {},
  signal: AbortSignal | null = null,
): Promise<Response> {
  return fetch(url, { headers: { ...fields, [OWN_FIELD]: '1' }, signal, cache: 'no-store' });
}

/** The detail of a problem document, or the status of another response. */
export async function problemText(response: Response): Promise<string> {
  try {
    const problem: unknown = await response.json();
    if (typeof problem === 'object' && problem && 'detail' in problem)
      return String(problem.detail);
  } catch {
    // The response is not from wirebin.
  }
  return `status ${response.status}`;
}

/** The browser's timing of the newest request to the URL; undefined without one. */
export function timingOf(
  url: string,
  since: number,
): Promise<PerformanceResourceTiming | undefined> {
  return new Promise((resolve) => {
    const find = (): void => {
      const entries = performance.getEntriesByName(url, 'resource');
      const entry = entries.findLast(({ startTime }) => startTime >= since);
      if (entry instanceof PerformanceResourceTiming) finish(entry);
    };
    const finish = (entry: PerformanceResourceTiming | undefined): void => {
      observer.disconnect();
      clearTimeout(timer);
      // The browser's buffer would otherwise be full after 250 requests.
      performance.clearResourceTimings();
      resolve(entry);
    };
    const observer = new PerformanceObserver(find);
    const timer = setTimeout(finish, TIMING_WAIT, undefined);
    observer.observe({ type: 'resource' });
    find();
  });
}
