import { parseMediaType } from '../../http/media-type.ts';
import { escapeMarkup } from '../../server/safety.ts';

/** As far as go-httpbin trusts browsers; the first is a type of its own making. */
const SAFE = new Set(['application/octet-string', 'text/plain', 'application/json']);

/** Whether what a client has shaped is escaped when it goes out as this type. */
export function isEscaped(contentType: string): boolean {
  const media = parseMediaType(contentType);
  return !media || !SAFE.has(`${media.type}/${media.subtype}`);
}

/** The text with character references for what is markup. */
export function escaped(text: string): string {
  return escapeMarkup(Buffer.from(text)).toString();
}
