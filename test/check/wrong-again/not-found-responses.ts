/** Names of gateways that no check finds. */
export const notFound: readonly string[] = [
  // interim
  'takes the content for no part of the final response after 103',
  'takes the content for no part of the final response after 102',
  'takes the content for no part of the final response after 103,103,102',
  'takes the content for no part of the final response after 199',
  'responds with a success of its own after 103',
  'responds with a success of its own after 199',
  // response-status
  'replaces the content and the fields of 418, and keeps the status',
  'replaces the content and the fields of 421, and keeps the status',
  'replaces the content and the fields of 425, and keeps the status',
  'replaces the content and the fields of 451, and keeps the status',
  'replaces the content and the fields of 500, and keeps the status',
  'replaces the content and the fields of 503, and keeps the status',
  'replaces the content and the fields of 599, and keeps the status',
  'removes the content of 201',
  'removes Location of a redirect',
  'makes Location one of another path',
  'makes Location one of the origin',
  // response-fields
  'removes response fields with an underscore in the name',
  'makes the underscore in the name of a response field a hyphen',
  'joins Date with its own',
  'makes Date one of ISO 8601',
  'adds Date in ISO 8601',
  'adds an empty Date',
  'sends Server of its own in a second line',
  // response-ranges
  'adds a suffix to the ETag of 304',
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
