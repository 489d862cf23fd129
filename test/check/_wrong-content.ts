import type { FieldLine } from '../../src/check/message.ts';
import type { ClientRequest, ClientResponse, Deviation } from './_gateway-messages.ts';
import { by, without } from './_wrong.ts';

/** Replaces the content of a response, and its fields with these names. */
export function replaceContent(
  response: ClientResponse,
  content: Buffer,
  ...fields: readonly FieldLine[]
): void {
  const names = fields.map(([name]) => name.toLowerCase());
  response.content = content;
  response.framing = { length: content.length };
  response.fields = [
    ...without(response.fields, 'content-length', ...names),
    ...fields,
    ['Content-Length', String(content.length)],
  ];
}

/** Waits for all of the content of a response, and changes it; undefined leaves it. */
export const changingContent = (
  change: (content: Buffer, response: ClientResponse, client: ClientRequest) => Buffer | undefined,
): Deviation => ({
  waitsForResponse: ({ framing }) => framing !== 'none',
  response: (response, client) => {
    const { content, framing } = response;
    const changed = framing !== 'none' && content ? change(content, response, client) : undefined;
    if (changed) replaceContent(response, changed);
  },
});

/** The same with the content of a request. */
export const changingRequestContent = (change: (content: Buffer) => Buffer): Deviation => ({
  waitsForRequest: ({ framing }) => framing !== 'none',
  request: (request) => {
    if (!request.content) return;
    request.content = change(request.content);
    if (typeof request.framing === 'object') request.framing = { length: request.content.length };
  },
});

export const changesContent = by(changingContent);
export const changesRequestContent = by(changingRequestContent);
