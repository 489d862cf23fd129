import type { ResponseHead } from '../../../src/check/message.ts';
import type { ClientRequest, Deviation } from '../_gateway-messages.ts';
import { by, mapped, wrong, type WrongProxy } from '../_wrong.ts';
import { changingContent, replaceContent, changesContent } from '../_wrong-content.ts';

const only = (
  status: number,
  change: (head: ResponseHead) => ResponseHead | undefined,
): Deviation => ({
  interim: (head) => (head.status === status ? change(head) : head),
});

/** @param change what becomes of an interim response, by the statuses of those of its request before it */
function inSequence(
  change: (head: ResponseHead, before: readonly number[]) => ResponseHead | undefined,
): Deviation {
  const seen = new WeakMap<ClientRequest, readonly number[]>();
  return {
    interim: (head, client) => {
      const before = seen.get(client) ?? [];
      seen.set(client, [...before, head.status]);
      return change(head, before);
    },
  };
}

/** Responds with a success of its own in place of the final response. */
const ownSuccess = (target: RegExp): Deviation =>
  changingContent((_content, response, client) => {
    if (!target.test(client.target)) return undefined;
    response.fields = [['Content-Type', 'text/plain']];
    return Buffer.from('OK');
  });

const emptied = (statuses: string, check: string): WrongProxy =>
  changesContent(
    `takes the content for no part of the final response after ${statuses}`,
    check,
    (_content, _response, client) =>
      client.target.startsWith(`/informational/${statuses}?`) ? Buffer.alloc(0) : undefined,
  );

/** Sends the fields of 103 in the final response. */
function movedFields(): Deviation {
  const fields = new WeakMap<ClientRequest, ResponseHead['fields']>();
  return {
    interim: (head, client) => {
      fields.set(client, head.fields);
      return { ...head, fields: [] };
    },
    response: (response, client) => {
      response.fields.push(...(fields.get(client) ?? []));
    },
  };
}

const changesInterim = by(only);

export const interim: readonly WrongProxy[] = [
  emptied('103', 'interim/103'),
  emptied('102', 'interim/102'),
  emptied('103,103,102', 'interim/several'),
  emptied('199', 'interim/unregistered'),
  wrong('responds with a success of its own after 103', 'interim/103', ownSuccess(/\/103\?/)),
  wrong(
    'responds with a success of its own after 199',
    'interim/unregistered',
    ownSuccess(/\/199\?/),
  ),
  wrong('responds with 502 after three interim responses', 'interim/several', {
    ...changingContent(() => undefined),
    response: (response, client) => {
      if (!client.target.startsWith('/informational/103,103,102')) return;
      response.status = 502;
      replaceContent(response, Buffer.from('too many'), ['Content-Type', 'text/plain']);
    },
  }),
  changesInterim('forwards 199 as 100', 'interim/unregistered-forwarded', 199, () => ({
    status: 100,
    fields: [],
  })),
  changesInterim('forwards 102 as 100', 'interim/102-forwarded', 102, () => ({
    status: 100,
    fields: [],
  })),
  wrong('forwards 103 on HTTP/1.1 only', 'h2 interim/103-forwarded', {
    interim: (head, { version }) => (version === '2.0' ? undefined : head),
  }),
  wrong(
    'forwards an interim response with the status of the one before once',
    'interim/several-forwarded',
    inSequence((head, before) => (before.at(-1) === head.status ? undefined : head)),
  ),
  wrong(
    'forwards the second 103 as 102',
    'interim/several-forwarded',
    inSequence((head, before) => (before.length === 1 ? { ...head, status: 102 } : head)),
  ),
  wrong('moves the fields of 103 to the final response', 'interim/103-link', movedFields()),
  changesInterim('removes the slash before a link in 103', 'interim/103-link', 103, (head) => ({
    ...head,
    fields: mapped(head.fields, (value) => value.replace('</', '<')),
  })),
  changesInterim(
    'sends a link of its own in 103, and that of the origin by another name',
    'interim/103-link',
    103,
    (head) => ({
      ...head,
      fields: [
        ['Link', '</own.css>'],
        ['X-Link', '</check.css>'],
      ],
    }),
  ),
  wrong('sends clients of HTTP/1.0 100 for 103', 'interim/http10', {
    sendsInterimToHttp10: true,
    interim: () => ({ status: 100, fields: [] }),
  }),
];
