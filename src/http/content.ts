import { isUtf8 } from 'node:buffer';
import { grouped } from './query.ts';
import { parseQuery } from './query.ts';

type Grouped = Record<string, string | string[]>;

/** httpbin's reading of a request's content, and the content itself. */
export interface MessageContent {
  /** The content as a string, or in base64 where it is not valid UTF-8. */
  readonly body: string;
  readonly body_encoding: 'utf8' | 'base64';
  readonly data: string;
  readonly form: Grouped;
  readonly files: Grouped;
  readonly json: unknown;
}

/** @param type the request's Content-Type */
export async function readMessageContent(
  content: Buffer,
  type: string | undefined,
): Promise<MessageContent> {
  const utf8 = isUtf8(content);
  const body = content.toString(utf8 ? 'utf8' : 'base64');
  const body_encoding = utf8 ? 'utf8' : 'base64';
  const mediaType = (type ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const base = { body, body_encoding, files: {}, json: null } as const;
  if (mediaType === 'application/x-www-form-urlencoded' && utf8) {
    return { ...base, data: '', form: grouped(parseQuery(body)) };
  }
  return {
    ...base,
    data: utf8 ? body : dataUrl(content, mediaType),
    form: {},
    json: utf8 ? parsedJson(body) : null,
  };
}

function dataUrl(content: Buffer, mediaType: string): string {
  return `data:${mediaType || 'application/octet-stream'};base64,${content.toString('base64')}`;
}

function parsedJson(body: string): unknown {
  if (body === '') return null;
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
