import type { SignedMessage } from '../../http/message-signatures/base.ts';
import { normalizeAuthority } from '../../http/message-signatures/derived-components.ts';
import type { Request } from '../../server/request.ts';
import { originOf } from '../request-url.ts';
import { explainableFields } from './fields.ts';

/** A request as its signer saw it: scheme and authority are those that a trusted proxy names, if there is one. */
export function signedMessage(request: Request): SignedMessage {
  const { method, target, rawTarget, fields, trailers } = request;
  const [scheme = '', sent = ''] = originOf(request).split('://', 2);
  const lower = scheme.toLowerCase();
  const authority = normalizeAuthority(sent, lower);
  const { path = '', query = '' } = target ?? {};
  const hasQuery = rawTarget.includes('?');
  return {
    method,
    scheme: lower,
    authority,
    requestTarget: rawTarget,
    targetUri: `${lower}://${authority}${path}${hasQuery ? `?${query}` : ''}`,
    path,
    query,
    fields,
    trailers,
    typeOf(name) {
      const type = explainableFields.get(name)?.type;
      return type === 'http-date' ? undefined : type;
    },
  };
}
