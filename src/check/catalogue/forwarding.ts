import { topic, type TopicCheck } from '../check.ts';
import { differs, fail, pass } from '../verdict.ts';
import { valuesOf } from '../message.ts';
import { fieldIsRemoved, received } from './received.ts';

const FORWARDING = {
  section: 'RFC 7239 8.1',
  level: 'quality',
  risk: 'security',
  needs: ['gateway'],
} as const;

const SPOOFED = '203.0.113.66';

/** A fact: whether a field that many origins trust is forwarded as the client sent it. */
function spoofIsForwarded(id: `forwarding/${string}`, name: string, spoofed: string): TopicCheck {
  return received({
    id,
    rule: `Whether an ${name} field sent by the client is replaced or removed.`,
    level: 'info',
    request: { fields: [[name, spoofed]] },
    judge: ({ fields }, { transfer }) => {
      const value = valuesOf(fields, name).join(', ');
      return value === spoofed
        ? differs('forwarded unchanged', transfer)
        : pass(value || 'removed');
    },
  });
}

/** Fields that describe the client to the origin (RFC 7239, RFC 9440). */
export const forwardingChecks = topic(FORWARDING, [
  received({
    id: 'forwarding/client-address',
    section: 'RFC 7239 5.2',
    rule: 'Whether the origin receives the address of the client, in Forwarded, X-Forwarded-For or X-Real-IP.',
    level: 'info',
    risk: 'interop',
    judge: ({ fields }, { transfer }) => {
      const found = ['forwarded', 'x-forwarded-for', 'x-real-ip'].find(
        (name) => valuesOf(fields, name).length > 0,
      );
      return found === undefined ? differs('no field contains it', transfer) : pass(found);
    },
  }),
  received({
    id: 'forwarding/spoofed-for',
    rule: 'An X-Forwarded-For field sent by the client is removed, or the address of the client is appended to it.',
    request: { fields: [['X-Forwarded-For', SPOOFED]] },
    judge: ({ fields }, { transfer }) => {
      const members = valuesOf(fields, 'x-forwarded-for')
        .join(',')
        .split(/[ \t]*,[ \t]*/);
      const last = members.at(-1) ?? '';
      return last.startsWith(SPOOFED) || last === 'unknown'
        ? fail('the address of the client as the last member', members.join(', '), transfer)
        : pass(members.join(', '));
    },
  }),
  received({
    id: 'forwarding/spoofed-forwarded',
    rule: 'A Forwarded field sent by the client is removed, or the target appends its own element.',
    request: { fields: [['Forwarded', `for=${SPOOFED};proto=https`]] },
    judge: ({ fields }, { transfer }) => {
      const value = valuesOf(fields, 'forwarded').join(', ');
      return value.endsWith(`for=${SPOOFED};proto=https`)
        ? fail('removed, or followed by another element', value, transfer)
        : pass(value || 'removed');
    },
  }),
  received({
    id: 'forwarding/spoofed-proto',
    rule: 'An X-Forwarded-Proto field sent by the client is replaced or removed.',
    request: (session) => ({
      fields: [['X-Forwarded-Proto', session.target.isSecure ? 'http' : 'https']],
    }),
    judge: ({ fields }, { transfer }, { target }) => {
      const value = valuesOf(fields, 'x-forwarded-proto').join(', ');
      const spoofed = target.isSecure ? 'http' : 'https';
      // Many origins trust the first element of the list.
      const [first = ''] = value.toLowerCase().split(/[ \t]*,/);
      return first === spoofed
        ? fail('the scheme that the client used', value, transfer)
        : pass(value || 'removed');
    },
  }),
  spoofIsForwarded('forwarding/spoofed-host', 'X-Forwarded-Host', 'other.example'),
  spoofIsForwarded('forwarding/spoofed-real-ip', 'X-Real-IP', SPOOFED),
  spoofIsForwarded('forwarding/original-url', 'X-Original-URL', '/check'),
  spoofIsForwarded('forwarding/rewrite-url', 'X-Rewrite-URL', '/check'),
  // CGI and its successors take underscores for hyphens, so these are read as X-Forwarded-For and Content-Length.
  spoofIsForwarded('forwarding/alias-for', 'X_Forwarded_For', SPOOFED),
  spoofIsForwarded('forwarding/alias-length', 'Content_Length', '7'),
  fieldIsRemoved({
    id: 'forwarding/spoofed-certificate',
    section: 'RFC 9440 2.4',
    rule: 'Whether Client-Cert and Client-Cert-Chain sent by a client are removed.',
    level: 'info',
    names: ['Client-Cert', 'Client-Cert-Chain'],
    request: {
      fields: [
        ['Client-Cert', ':Zm9vYmFy:'],
        ['Client-Cert-Chain', ':Zm9vYmFy:'],
      ],
    },
  }),
]);
