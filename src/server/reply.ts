import type { Problem } from '../http/problem.ts';
import { textPayload, type Payload } from './payload.ts';

/** What a handler answers. Dispatch adds the length and the fields every response carries. */
export interface Reply {
  readonly status: number;
  /** Field lines: name, value, name, value… */
  readonly fields: readonly string[];
  /** undefined for statuses that have no content (204, 205, 304). */
  readonly payload: Payload | undefined;
  /** Send 100 (Continue) before it, whether the client waits for it or not. */
  readonly afterContinue?: boolean;
  /** Close the connection behind it, where the protocol has such a thing. */
  readonly close?: boolean;
  /** Whether the fields were the caller's choice and stand above those every response carries. */
  readonly replacesDefaults?: boolean;
}

/** A reply with content of the given media type. */
export function reply(
  type: string,
  content: Payload,
  { status = 200, fields = [] }: { status?: number; fields?: readonly string[] } = {},
): Reply {
  const payload = typeof content === 'string' ? textPayload(content) : content;
  return { status, fields: ['Content-Type', type, ...fields], payload };
}

/** A reply without content. */
export function empty(status: number, fields: readonly string[] = []): Reply {
  return { status, fields, payload: undefined };
}

/** `value` as JSON the way a person reads it: two spaces, final newline. */
export function prettyJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** `value` as such JSON. */
export function json(
  value: unknown,
  options?: { status?: number; fields?: readonly string[] },
): Reply {
  return reply('application/json', prettyJson(value), options);
}

/** Plain text in UTF-8. */
export function text(
  content: string,
  options?: { status?: number; fields?: readonly string[] },
): Reply {
  return reply('text/plain; charset=utf-8', content, options);
}

/** 302 to a relative reference (RFC 9110 10.2.2). */
export function redirect(location: string, fields: readonly string[] = []): Reply {
  return empty(302, ['Location', location, ...fields]);
}

/** RFC 9457. */
export function problemReply(problem: Problem): Reply {
  const { status, fields } = problem;
  return reply('application/problem+json', problem.toDocument(), { status, fields });
}
