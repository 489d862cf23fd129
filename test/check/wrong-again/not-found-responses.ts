/** Names of gateways that no check finds. */
export const notFound: readonly string[] = [
  // cache: no resource of the origin answers GET with a lifetime, and these methods with success
  'invalidates for PUT, DELETE and POST, not for PATCH',
  'invalidates for POST, not for PUT and DELETE',
  'invalidates after 200 alone',
];
