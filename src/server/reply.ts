import type { Problem } from '../http/problem.ts';
import type { Fault } from './fault.ts';
import { textPayload, type Payload, type PullSource } from './payload.ts';
import type { Upgrade } from './upgrade.ts';

/** The result of a handler. Dispatch adds Content-Length and the fields of every response. */
export interface Reply {
  readonly status: number;
  /** Field lines: name, value, name, value… */
  readonly fields: readonly string[];
  /** undefined for statuses without content (`hasNoContent`). */
  readonly payload: Payload | undefined;
  /** With 206 (Partial Content), returns the whole representation. */
  readonly representation?: () => PullSource;
  /** Whether to send 100 (Continue) first, even if the client does not expect it. */
  readonly afterContinue?: boolean;
  /** If true, closes the connection after the response; `ends-content`: only this ends the content. Not on HTTP/2. */
  readonly close?: boolean | 'ends-content';
  /** Whether the client chose the fields. They then replace those of every response. */
  readonly replacesDefaults?: boolean;
  /** A fault of the response. The rest of the reply is the response without it. */
  readonly fault?: Fault;
  /** Switches to another protocol. `status` is 101, or 200 on HTTP/2. */
  readonly upgrade?: Upgrade;
}

export const TEXT_TYPE = 'text/plain; charset=utf-8';
export const HTML_TYPE = 'text/html; charset=utf-8';
export const BYTES_TYPE = 'application/octet-stream';

export interface ReplyOptions {
  /** Default: 200. */
  readonly status?: number;
  /** Further fields, without Content-Type. */
  readonly fields?: readonly string[];
}

export function reply(
  type: string,
  content: Payload,
  { status = 200, fields = [] }: ReplyOptions = {},
): Reply {
  const payload = typeof content === 'string' ? textPayload(content) : content;
  return { status, fields: ['Content-Type', type, ...fields], payload };
}

export function empty(status: number, fields: readonly string[] = []): Reply {
  return { status, fields, payload: undefined };
}

export function withFields(response: Reply, fields: readonly string[]): Reply {
  return { ...response, fields: [...response.fields, ...fields] };
}

/** `value` as readable JSON: indented by two spaces, with a final newline. */
export function prettyJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

export function json(value: unknown, options?: ReplyOptions): Reply {
  return reply('application/json', prettyJson(value), options);
}

/** A reply with text in UTF-8. */
export function text(content: string, options?: ReplyOptions): Reply {
  return reply(TEXT_TYPE, content, options);
}

/** 302 with a relative reference as Location (RFC 9110 10.2.2). */
export function redirect(location: string, fields: readonly string[] = []): Reply {
  return empty(302, ['Location', location, ...fields]);
}

/** A reply with a problem document (RFC 9457). */
export function problemReply(problem: Problem): Reply {
  const { status, fields } = problem;
  return reply('application/problem+json', problem.toDocument(), { status, fields });
}
