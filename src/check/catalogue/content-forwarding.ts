import { createHash } from 'node:crypto';
import type { JournalEntry } from '../../telemetry/journal/entry.ts';
import type { TopicCheck } from '../check.ts';
import { outcomeOf } from '../message.ts';
import { tagged } from '../origin.ts';
import type { Session } from '../session.ts';
import { differs, failProven, pass, type Verdict } from '../verdict.ts';
import { counted } from '../words.ts';
import { FrontConnection } from './front-connection.ts';

const CONTENT = Buffer.from('content');

/** Milliseconds within which the rest of the content reaches the origin after the response. */
const CONTENT_TIME = 2000;

/** Whether there is nothing to wait for: the content is complete, or the request did not arrive. */
const hasEnded = (entry: JournalEntry | undefined): boolean => entry?.content.complete !== false;

/** Whether what arrived as content is the content, or its beginning. */
function isOwn({ content: { octets, sha256 } }: JournalEntry): boolean {
  const beginning = CONTENT.subarray(0, octets);
  return (
    octets <= CONTENT.length && sha256 === createHash('sha256').update(beginning).digest('hex')
  );
}

/**
 * Sends a request with content, and another one on the same connection to the origin: http2-proxy forwards the
 * Content-Length of OPTIONS without the content, so that the origin takes the beginning of the next request for it.
 */
async function forwarded(session: Session, method: string): Promise<Verdict> {
  const connection = new FrontConnection(session);
  if (session.met.has('http1-origin')) await connection.emptyPool();
  const tag = session.newTag();
  const target = `/anything/${tag}`;
  const transfer = await connection.send(tagged(tag, { method, target, content: CONTENT }));
  const before = await session.arrivedAs(tag, hasEnded, CONTENT_TIME);
  if (!before) return pass(outcomeOf(transfer));
  const next = await connection.echo();
  const [entry = before] = await session.arrived(tag);
  const { octets } = entry.content;
  if (!isOwn(entry))
    return failProven(
      'all of the content, or none',
      `${counted(octets, 'byte')} of the next request`,
      transfer,
      next.transfer,
    );
  const isSame = entry.method === method;
  const found = `${octets} of ${counted(CONTENT.length, 'byte')} arrive${isSame ? '' : ` with ${entry.method}`}`;
  return octets === CONTENT.length && isSame ? pass(found) : differs(found, transfer);
}

/** A check of what becomes of content where the method gives it no meaning. */
export function contentForwarding(
  method: 'GET' | 'DELETE' | 'OPTIONS',
  section: string,
): TopicCheck {
  return {
    id: `content/${method.toLowerCase()}`,
    section,
    rule: `The content of ${method === 'OPTIONS' ? 'an' : 'a'} ${method} request is forwarded, dropped or refused, and nothing of the next request is taken for it.`,
    risk: 'security',
    needs: ['journal'],
    observes: 'target',
    // The request of another check could be taken for the content.
    phase: 'alone',
    run: (session) => forwarded(session, method),
  };
}
