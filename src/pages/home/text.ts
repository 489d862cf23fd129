import { VERSION } from '../../version.ts';

/**
 * The text that `curl /` gets.
 *
 * @param origin scheme and authority of the request
 * @param instance name of the service; undefined without one
 */
export function homeText(origin: string, instance: string | undefined): string {
  const name = instance === undefined ? '' : `, instance ${instance}`;
  return `wirebin ${VERSION}${name}
An HTTP test service: it shows what really arrived and sends the responses you ask for.

  curl ${origin}/anything                        your request, as received
  curl -H 'Accept: application/json' ${origin}/  every endpoint, as JSON
  curl ${origin}/openapi.json                    the same, as OpenAPI
  curl ${origin}/docs/                           the documentation of this version

In a browser, ${origin}/ is a page to try them all.
`;
}
