/** Names of gateways that no check finds. */
export const notFound: readonly string[] = [
  // interim
  'takes the content for no part of the final response after 103',
  'takes the content for no part of the final response after 102',
  'takes the content for no part of the final response after 103,103,102',
  'takes the content for no part of the final response after 199',
  'responds with a success of its own after 103',
  'responds with a success of its own after 199',
  // cache: no resource of the origin answers GET with a lifetime, and these methods with success
  'invalidates for PUT, DELETE and POST, not for PATCH',
  'invalidates for POST, not for PUT and DELETE',
  'invalidates after 200 alone',
  // content
  'makes an empty response 204',
  'forwards GET with content as POST',
  'forwards a request above 8 KiB in chunks',
  'forwards PUT in chunks',
  'forwards Content-Length: 0 as no content',
];
