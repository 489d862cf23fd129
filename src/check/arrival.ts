import { fieldLines } from './client/http1-message.ts';
import type { FieldLine, Transfer } from './message.ts';
import type { JournalEntry } from '../telemetry/journal/entry.ts';
import { receivedOf, tagsOf } from './origin.ts';

/** Journal entries that a check has read from the origin, by the tag of the request. */
export type Journal = ReadonlyMap<string, readonly JournalEntry[]>;

/**
 * What the origin received of a request, as text: from the echo in the response, otherwise from the journal, which has
 * every attempt, but not the content.
 *
 * @returns undefined if neither has it: the target answered by itself, or the endpoint is no echo
 */
export function arrivalOf(transfer: Transfer, journal: Journal): string | undefined {
  const tags = tagsOf(transfer);
  for (const tag of tags) {
    const received = receivedOf(transfer, tag);
    if (received) {
      const { method, path, query, version, fields, content, trailers } = received;
      // The echo has only the path of an absolute-form target (RFC 9112 3.2.2). The journal has all of it.
      const { target = query === '' ? path : `${path}?${query}` } = journal.get(tag)?.at(-1) ?? {};
      const head = headText(`${method} ${target} ${version}`, fields);
      return head + content.toString('latin1') + fieldLines(trailers);
    }
  }
  const entries = tags.flatMap((tag) => journal.get(tag) ?? []);
  return entries.length === 0 ? undefined : entries.map(entryText).join('\n');
}

/** The header section as text. On HTTP/2 the pseudo-header fields stand for the request line. */
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
