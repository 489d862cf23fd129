import { statusParameter, pickStatus } from '../endpoints/status.ts';
import { hasNoContent } from '../http/status.ts';
import { override, type Override } from '../server/endpoint.ts';
import { empty, reply, type Reply } from '../server/reply.ts';

/** Fields and content of the response with a status. */
interface StatusResponse {
  readonly fields?: readonly string[];
  readonly content?: string;
  /** Media type of the content, if it is not the default. */
  readonly type?: string;
}

const CHALLENGE = 'Basic realm="Fake Realm"';
const redirection: StatusResponse = { fields: ['Location', '/redirect/1'] };

/** The content of httpbin's 406. */
export const NOT_ACCEPTABLE = {
  message: 'Client did not request a supported media type.',
  accept: ['image/webp', 'image/svg+xml', 'image/jpeg', 'image/png', 'image/*'],
};

/** Responses by status that are the same in httpbin and go-httpbin. */
const commonResponses = new Map<number, StatusResponse>([
  ...[301, 302, 303, 305, 307].map((status) => [status, redirection] as const),
  [401, { fields: ['WWW-Authenticate', CHALLENGE] }],
  [406, { type: 'application/json', content: `${JSON.stringify(NOT_ACCEPTABLE)}\n` }],
  [407, { fields: ['Proxy-Authenticate', CHALLENGE] }],
  [
    418,
    { content: "I'm a teapot!", fields: ['X-More-Info', 'https://www.rfc-editor.org/rfc/rfc2324'] },
  ],
]);

/**
 * /status/{code}. Most responses have empty content, as in the originals.
 *
 * @param defaultType media type of the content
 * @param more responses with further statuses
 */
export function statuses(
  defaultType: string,
  more: readonly (readonly [number, StatusResponse])[] = [],
): Override {
  const all = new Map([...commonResponses, ...more]);
  const replyWith = (status: number): Reply => {
    const { fields = [], content = '', type = defaultType } = all.get(status) ?? {};
    return hasNoContent(status) ? empty(status, fields) : reply(type, content, { status, fields });
  };
  const response = { description: 'The status in the path.', content: [defaultType] };
  return override('/status/{code}', {
    params: { code: statusParameter },
    responses: { '2XX': response, '3XX': response, '4XX': response, '5XX': response },
    handle: ({ params }) => replyWith(pickStatus(params.code)),
  });
}
