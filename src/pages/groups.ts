import type { Group } from '../server/endpoint.ts';

interface GroupText {
  readonly title: string;
  readonly description: string;
}

/** The groups in the order of the index page, which is that of the OpenAPI document's tags. */
export const groups: Readonly<Record<Group, GroupText>> = {
  echo: {
    title: 'Request echo',
    description: 'The request as it arrived: method, target, fields, content, connection and TLS.',
  },
  content: { title: 'Content', description: 'Bytes, documents and images to be read.' },
  authentication: {
    title: 'Authentication',
    description: 'Answers for those who know the password that stands in the path.',
  },
  timing: { title: 'Timing', description: 'Answers that take their time.' },
  redirects: { title: 'Redirects', description: 'Answers that lead elsewhere.' },
  cookies: { title: 'Cookies', description: 'Cookies to be set, sent back and deleted.' },
  fields: { title: 'Fields', description: 'Statuses and response fields of the caller’s choice.' },
  operations: { title: 'Operations', description: 'The service itself.' },
};

/** The names of the groups, in order. */
export const groupNames: readonly Group[] = Object.keys(groups).filter(isGroup);

function isGroup(name: string): name is Group {
  return name in groups;
}
