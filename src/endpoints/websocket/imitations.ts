import { Problem } from '../../http/problem.ts';
import {
  acceptDeflate,
  acceptDeflateObliviously,
  type AcceptedDeflate,
} from '../../http/websocket.ts';
import { described, flag } from '../../server/params.ts';
import type { Values } from '../../server/parse-parameters.ts';
import type { Request } from '../../server/request.ts';

/** The query parameters that imitate other servers. All but `oblivious-deflate` are valid on the wire. */
export const imitationParameters = {
  split: described('Sends each data frame in two, with a Ping between them.', flag),
  'final-block': described(
    'Ends each compressed message with a final DEFLATE block (RFC 7692 7.2.3.4).',
    flag,
  ),
  'oblivious-deflate': described(
    'Accepts each offer of permessage-deflate with the same two parameters, even if it has others.',
    flag,
  ),
};

/**
 * Accepts an offer of permessage-deflate.
 *
 * @param isOn --websocket-deflate
 * @returns undefined without one that is accepted
 * @throws Problem invalid-handshake; fault-unavailable if a parameter needs an accepted offer
 */
export function negotiateDeflate(
  { fields }: Request,
  query: Values<typeof imitationParameters>,
  isOn: boolean,
): AcceptedDeflate | undefined {
  const accept = query['oblivious-deflate'] ? acceptDeflateObliviously : acceptDeflate;
  const accepted = isOn ? accept(fields) : undefined;
  if (accepted === 'malformed') {
    throw new Problem('invalid-handshake', 'Sec-WebSocket-Extensions is not a list of extensions');
  }
  const dependent = (['final-block', 'oblivious-deflate'] as const).find((name) => query[name]);
  if (accepted || dependent === undefined) return accepted;
  const why = isOn ? 'the request has no offer that is accepted' : '--websocket-deflate is off';
  throw new Problem('fault-unavailable', `${dependent} needs permessage-deflate: ${why}`);
}
