import { statusParameter, pickStatus } from '../endpoints/status.ts';
import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { empty, reply, type Reply } from '../server/reply.ts';

/** The response for a status that has more than the status line. */
interface StatusResponse {
  readonly fields?: readonly string[];
  readonly content?: string;
  /** Media type of the content, if not the default. */
  readonly type?: string;
}

const CHALLENGE = 'Basic realm="Fake Realm"';
const redirection: StatusResponse = { fields: ['Location', '/redirect/1'] };

/** Common to httpbin and go-httpbin. */
const commonResponses = new Map<number, StatusResponse>([
  ...[301, 302, 303, 305, 307].map((status) => [status, redirection] as const),
  [401, { fields: ['WWW-Authenticate', CHALLENGE] }],
  [
    406,
    {
      type: 'application/json',
      content: `${JSON.stringify({
        message: 'Client did not request a supported media type.',
        accept: ['image/webp', 'image/svg+xml', 'image/jpeg', 'image/png', 'image/*'],
      })}\n`,
    },
  ],
  [407, { fields: ['Proxy-Authenticate', CHALLENGE] }],
  [
    418,
    { content: "I'm a teapot!", fields: ['X-More-Info', 'https://www.rfc-editor.org/rfc/rfc2324'] },
  ],
]);

/**
 * /status/{code}. As in the originals, most responses have empty content.
 *
 * @param defaultType media type of the content
 * @param more responses for other statuses
 */
export function statusEndpoint(
  defaultType: string,
  more: readonly (readonly [number, StatusResponse])[] = [],
): Endpoint {
  const all = new Map([...commonResponses, ...more]);
  const replyWith = (status: number): Reply => {
    const { fields = [], content = '', type = defaultType } = all.get(status) ?? {};
    const hasContent = status !== 204 && status !== 205 && status !== 304;
    return hasContent ? reply(type, content, { status, fields }) : empty(status, fields);
  };
  const response = { description: 'The status in the path.', content: [defaultType] };
  return endpoint({
    id: 'status',
    methods: 'any',
    path: '/status/{code}',
    group: 'content',
    summary: 'Responds with the status in the path, 200 to 599.',
    params: { code: statusParameter },
    responses: { '2XX': response, '3XX': response, '4XX': response, '5XX': response },
    handle: ({ params }) => replyWith(pickStatus(params.code)),
  });
}
