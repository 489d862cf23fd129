import { fieldLines } from './client/http1-message.ts';
import type { FieldLine, Transfer } from './message.ts';
import type { JournalEntry } from '../telemetry/journal/entry.ts';
import { receivedOf, tagsOf } from './origin.ts';

/** The entries of the origin's journal that a check has read, by tag. */
export type Journal = ReadonlyMap<string, readonly JournalEntry[]>;

/**
 * What the origin received of a request, as text: by the echo in the response, otherwise by the journal, which has all
 * attempts, but not the content.
 *
 * @returns undefined if nothing is known of it: the target has answered itself, or the endpoint is no echo
 */
export function arrivalOf(transfer: Transfer, journal: Journal): string | undefined {
  const tags = tagsOf(transfer);
  for (const tag of tags) {
    const received = receivedOf(transfer, tag);
    if (received) {
      const { method, path, query, version, fields, content, trailers } = received;
      // The echo lacks what precedes the path in absolute-form (RFC 9112 3.2.2).
      const { target = query === '' ? path : `${path}?${query}` } = journal.get(tag)?.at(-1) ?? {};
      const head = headText(`${method} ${target} ${version}`, fields);
      return head + content.toString('latin1') + fieldLines(trailers);
    }
  }
  const entries = tags.flatMap((tag) => journal.get(tag) ?? []);
  return entries.length === 0 ? undefined : entries.map(entryText).join('\n');
}

/** HTTP/2 has the request line in pseudo-header fields. */
function headText(requestLine: string, fields: readonly FieldLine[]): string {
  const hasPseudo = fields.some(([name]) => name.startsWith(':'));
  return `${hasPseudo ? '' : `${requestLine}\r\n`}${fieldLines(fields)}\r\n`;
}

function entryText(entry: JournalEntry): string {
  const { method, target, protocol, raw_headers: fields, content, response, outcome } = entry;
  if (outcome === 'rejected') return `${entry.bytes ?? ''}(rejected: never became a request)`;
  const head = headText(`${method} ${target} ${protocol.toUpperCase()}`, fields);
  const size = `${content.octets} bytes of content${content.complete ? '' : ', incomplete'}`;
  const status = response ? `response ${response.status}` : 'no response';
  return `${head}(${size}; ${status}: ${outcome ?? ''})`;
}
