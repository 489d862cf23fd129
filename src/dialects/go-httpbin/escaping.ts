import { parseMediaType } from '../../http/media-type.ts';
import { escapeMarkup } from '../../server/safety.ts';

/** The types that go-httpbin does not escape; `octet-string` is its own spelling. */
const SAFE = new Set(['application/octet-string', 'text/plain', 'application/json']);

/** Whether client-controlled content is escaped if sent as this type. */
export function isEscaped(contentType: string): boolean {
  const media = parseMediaType(contentType);
  return !media || !SAFE.has(`${media.type}/${media.subtype}`);
}

/** Replaces markup by character references. */
export function escaped(text: string): string {
  return escapeMarkup(Buffer.from(text)).toString();
}
