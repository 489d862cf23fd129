import { image } from '../../endpoints/image.ts';
import type { Endpoint } from '../../server/endpoint.ts';
import { withErrors } from '../response-style.ts';
import { flaskReply } from './echoes.ts';

const NOT_ACCEPTABLE = {
  message: 'Client did not request a supported media type.',
  accept: ['image/webp', 'image/svg+xml', 'image/jpeg', 'image/png', 'image/*'],
};

export const images: readonly Endpoint[] = image.map((endpoint) =>
  withErrors(endpoint, ({ code, status, fields }) =>
    code === 'not-acceptable' ? flaskReply(NOT_ACCEPTABLE, { status, fields }) : undefined,
  ),
);
