import type { TapEvent } from '../telemetry/tap/event-schema.ts';
import { OWN_FIELD } from './request.ts';
import type { EventRow } from './tap-event.ts';

/** Kinds of events that a connection has besides those of requests. */
const FRAME_KINDS: ReadonlySet<string> = new Set(['opened', 'handshake', 'closed']);

/**
 * Whether a request was sent by the page itself, here or in another tab of this browser: what its modules ask for, its
 * files, the page, and the documentation. Requests of its forms are not.
 *
 * @param agent User-Agent of this browser
 */
export function isOwnRequest(event: TapEvent, agent: string): boolean {
  if (event.kind !== 'request' || event.method !== 'GET') return false;
  const { path, query, raw_headers: lines } = event;
  const fields = new Map(lines.map(([name, value]) => [name.toLowerCase(), value]));
  if (fields.get('user-agent') !== agent) return false;
  if (fields.has(OWN_FIELD)) return true;
  // Forms use `fetch()`, which has this destination; documents, scripts and style sheets have others.
  if (fields.get('sec-fetch-dest') === 'empty') return false;
  if (path.startsWith('/page/') || /^\/docs\/.*\.css$/.test(path)) return true;
  const isDocument = fields.get('accept')?.includes('text/html') ?? false;
  return isDocument && ((path === '/' && query === '') || path.startsWith('/docs/'));
}

/** The page's own requests, and the events around them of connections that carried nothing else. */
export function ownRows<R extends Pick<EventRow, 'kind' | 'connection' | 'isOwnRequest'>>(
  rows: readonly R[],
): ReadonlySet<R> {
  const connections = new Set(rows.filter((row) => row.isOwnRequest).map((row) => row.connection));
  for (const { kind, connection, isOwnRequest: isOwn } of rows) {
    if (!isOwn && !FRAME_KINDS.has(kind)) connections.delete(connection);
  }
  return new Set(
    rows.filter(
      ({ kind, connection, isOwnRequest: isOwn }) =>
        isOwn || (FRAME_KINDS.has(kind) && connections.has(connection)),
    ),
  );
}
