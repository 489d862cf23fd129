import { choices, pick } from '../endpoints/status.ts';
import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { empty, reply, type Reply } from '../server/reply.ts';

/** What a status comes with. */
interface Special {
  readonly fields?: readonly string[];
  readonly content?: string;
  /** Of the content, where it is not that of the others. */
  readonly type?: string;
}

const CHALLENGE = 'Basic realm="Fake Realm"';
const onward: Special = { fields: ['Location', '/redirect/1'] };

/** What httpbin and go-httpbin both have. */
const specials = new Map<number, Special>([
  ...[301, 302, 303, 305, 307].map((status) => [status, onward] as const),
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
 * /status/{code} with the content that the originals send: none, but for a few.
 *
 * @param type of all content
 * @param more what other statuses come with
 */
export function statusEndpoint(
  type: string,
  more: readonly (readonly [number, Special])[] = [],
): Endpoint {
  const all = new Map([...specials, ...more]);
  const answer = (status: number): Reply => {
    const { fields = [], content = '', type: own = type } = all.get(status) ?? {};
    const hasContent = status !== 204 && status !== 205 && status !== 304;
    return hasContent ? reply(own, content, { status, fields }) : empty(status, fields);
  };
  const response = { description: 'The status asked for.', content: [type] };
  return endpoint({
    id: 'status',
    methods: 'any',
    path: '/status/{code}',
    group: 'content',
    summary: 'Answers with the status asked for, 200 to 599.',
    params: { code: choices },
    responses: { '2XX': response, '3XX': response, '4XX': response, '5XX': response },
    handle: ({ params }) => answer(pick(params.code)),
  });
}
