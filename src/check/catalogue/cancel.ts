import { FrameType } from '../../net/http2-frame.ts';
import { uint32 } from '../../net/http2-frame-writer.ts';
import { differs, notApplicable, pass, type Check } from '../check.ts';
import type { RequestMessage } from '../message.ts';
import { tagged } from '../origin.ts';
import type { Session } from '../session.ts';

const CANCEL = {
  section: 'RFC 9110 9.2',
  level: 'quality',
  risk: 'latency',
  needs: ['journal'],
  phase: 'timed',
} as const;

/** Seconds that the end of a client may need to reach the origin, and a request. */
const CANCEL_TIME = 1.5;
const ERROR_CANCEL = 8;

/** How a client ends its request. */
type CancelKind = 'close' | 'reset' | 'rst-stream';

const WORDS: Readonly<Record<CancelKind, string>> = {
  close: 'FIN',
  reset: 'RST',
  'rst-stream': 'RST_STREAM',
};

/** Begins a request. @returns what ends it */
async function begin(
  session: Session,
  message: RequestMessage,
  how: CancelKind,
): Promise<() => void> {
  if (session.front === 'h2') {
    const client = await session.openHttp2();
    const { id } = client.start(message);
    return how === 'rst-stream'
      ? () => client.sendFrame(FrameType.rstStream, 0, id, uint32(ERROR_CANCEL))
      : () => client.close(how);
  }
  const client = await session.openHttp1();
  void session.sendOn(client, message);
  return () => client.close(how === 'reset' ? 'reset' : 'close');
}

function cancelBy(how: CancelKind): Check {
  return {
    ...CANCEL,
    id: `cancel/${how}`,
    rule: `A request whose client disconnects with ${WORDS[how]} is canceled at the origin.`,
    ...(how === 'rst-stream' && {
      section: 'RFC 9113 8.7',
      rule: 'A request whose client resets its stream is canceled at the origin.',
      fronts: ['h2'],
    }),
    async run(session) {
      const tag = session.newTag();
      // An origin on HTTP/1.1 takes FIN for half of a close, until it writes.
      const target = session.unique('/drip?numbytes=400&duration=4');
      const cancel = await begin(session, tagged(tag, { target }), how);
      const [begun] = await session.arrived(tag, `?wait=1&timeout=${CANCEL_TIME}`);
      if (!begun)
        return notApplicable('the request did not reach the origin before the client left');
      const start = performance.now();
      cancel();
      const [entry] = await session.arrived(tag, `?wait=1&until=ended&timeout=${CANCEL_TIME}`);
      const outcome = entry?.outcome ?? 'sent';
      // The time includes the request to the journal.
      const time = Math.round(performance.now() - start);
      return outcome === 'sent' ? differs('not canceled') : pass(`${outcome} after ${time} ms`);
    },
  };
}

/** A client that goes away while the origin works for it. */
export const cancelChecks: readonly Check[] = [
  cancelBy('close'),
  cancelBy('reset'),
  cancelBy('rst-stream'),
];
