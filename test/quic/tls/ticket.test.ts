import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { openTicket, sealTicket, TICKET_KEY_LENGTH } from '../../../src/quic/tls/ticket.ts';

const KEY = Buffer.alloc(TICKET_KEY_LENGTH, 5);
const CONTENT = {
  suite: 0x1302,
  expiresAt: Date.UTC(2027, 0, 1),
  alpn: 'h3',
  serverName: 'a.example',
  psk: Buffer.alloc(48, 6),
} as const;

test('a ticket has the session that was sealed', () => {
  expect(openTicket(KEY, sealTicket(KEY, CONTENT))).toEqual(CONTENT);
});

test('two tickets of a session differ', () => {
  expect(sealTicket(KEY, CONTENT)).not.toEqual(sealTicket(KEY, CONTENT));
});

test('a ticket with a changed bit, or of another key, is none', () => {
  const ticket = sealTicket(KEY, CONTENT);
  expect(openTicket(Buffer.alloc(TICKET_KEY_LENGTH), ticket)).toBeUndefined();
  for (let at = 0; at < ticket.length; at++) {
    const changed = Buffer.from(ticket);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(openTicket(KEY, changed)).toBeUndefined();
  }
});

test('bytes of any length are none', () => {
  for (let length = 0; length < 100; length++)
    expect(openTicket(KEY, randomBytes(length))).toBeUndefined();
});
