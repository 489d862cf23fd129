import { akamaiFingerprint, md5, type ClientOpening } from '../../net/fingerprints.ts';
import type { RequestTrace } from '../http1/http1-reader.ts';
import { requestFields, type StreamFacts } from '../http2/stream.ts';
import { ja4h } from '../ja4h.ts';
import { leftOutView } from './view.ts';

/** JA4H of a request as sent, including fields that Node dropped. */
export function http1Fingerprints({ head }: RequestTrace) {
  const { method, version } = head.line;
  const lines = head.fields.flatMap(({ name, value }) => [name, value]);
  return { ...ja4h(method, (version ?? '').replace('HTTP/', ''), lines) };
}

/** JA4H of a request, and the HTTP/2 fingerprint of its connection, including late PRIORITY frames. */
export function http2Fingerprints(stream: StreamFacts, opening: ClientOpening) {
  const fields = requestFields(stream);
  const lines = fields.flatMap(({ name, value }) => [name, value]);
  const pseudo = fields.map(({ name }) => name).filter((name) => name.startsWith(':'));
  const method = fields.find(({ name }) => name === ':method')?.value ?? '';
  const akamai = akamaiFingerprint(opening, pseudo);
  return {
    ...ja4h(method, '2.0', lines),
    akamai_fingerprint: akamai,
    akamai_fingerprint_hash: md5(akamai),
    ...leftOutView('priorities', opening.prioritiesLeftOut),
  };
}
