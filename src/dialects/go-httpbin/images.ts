import { image } from '../../endpoints/image.ts';
import type { Endpoint } from '../../server/endpoint.ts';
import { Problem } from '../../http/problem.ts';
import { withErrors } from '../response-style.ts';
import { goError, goReply } from './replies.ts';

/** As in the original, an unknown format is 404, and an unsupported Accept is 415. */
export const images: readonly Endpoint[] = image.map((endpoint) =>
  withErrors(withoutAlias(endpoint), ({ code }) => {
    switch (code) {
      case 'not-acceptable':
        return goReply(goError(415, 'Unsupported Media Type'), { status: 415 });
      case 'invalid-parameter':
        throw new Problem('not-found', 'there is no image in that format');
      default:
        return undefined;
    }
  }),
);

function withoutAlias(endpoint: Endpoint): Endpoint {
  return {
    ...endpoint,
    respond(request, segments, content) {
      if (segments.includes('jpg'))
        throw new Problem('not-found', 'there is no alias jpg for jpeg');
      return endpoint.respond(request, segments, content);
    },
  };
}
