import type { Group } from '../server/endpoint.ts';

interface GroupText {
  readonly title: string;
  readonly description: string;
}

/** Endpoint groups in the order of the index page and the OpenAPI tags. */
export const groups: Readonly<Record<Group, GroupText>> = {
  echo: {
    title: 'Request echo',
    description: 'The request as received, its connection and TLS.',
  },
  content: { title: 'Content', description: 'Bytes, documents and images.' },
  authentication: {
    title: 'Authentication',
    description: 'Endpoints that require the credentials given in the path.',
  },
  timing: { title: 'Timing', description: 'Delayed, slow and streamed responses.' },
  redirects: { title: 'Redirects', description: 'Redirect responses.' },
  cookies: { title: 'Cookies', description: 'Set, show and delete cookies.' },
  fields: { title: 'Fields', description: 'Responses with a given status and given fields.' },
  faults: {
    title: 'Faults',
    description:
      'Responses that fail, or break the rules of the protocol, as asked. Unknown parameters are an error.',
  },
  operations: { title: 'Operations', description: 'The service itself.' },
};

export const groupNames: readonly Group[] = Object.keys(groups).filter(isGroup);

function isGroup(name: string): name is Group {
  return name in groups;
}
