import type { Router } from '../server/router.ts';

type Finds = Pick<Router, 'find'>;

/** A router for which a path with an empty parameter is 404, as for Werkzeug and Go's ServeMux. */
export function withoutEmptySegments(routes: Finds): Finds {
  return {
    find(path) {
      const match = routes.find(path);
      const isEmpty = match?.segments.includes('') && !match.endpoint.path.includes('*');
      return isEmpty ? undefined : match;
    },
  };
}
