/** Wrong gateways that no check finds, by their names. */
export const notFound: readonly string[] = [
  'a value ends at NUL',
  'NUL is removed',
  'NUL is replaced by its percent-encoding',
  'a value ends at CR',
  'CR is removed',
  'a first line with whitespace belongs to the target',
  'an unknown version is forwarded as HTTP/1.0',
  'Set-Cookie gets an attribute',
  'the last of many fields has the value of the one before',
  'Via has no version',
  'Via has no pseudonym',
  'Via is added to requests without content only',
  'Via has the version of the gateway in place of the received one',
  'Via of the gateway precedes that of the client',
  'requests with content from HTTP/1.0 are forwarded as HTTP/1.0',
  'errors keep the version of the origin',
];
