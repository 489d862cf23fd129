import type { ProblemCode } from '../http/problem.ts';

/** What brings each problem about, and what helps: the text of `/problems/{code}`. */
export const problemCauses: Readonly<Record<ProblemCode, string>> = {
  'invalid-parameter':
    'A path or query parameter is missing, repeated, of another kind or out of its bounds. Nothing is clamped in silence; the detail names the parameter, the value and the bound.',
  'invalid-target':
    'The target of the request line is none of the four forms of RFC 9112 3.2, names a scheme that is not HTTP’s, or has a fragment, which is never sent.',
  'invalid-host':
    'An HTTP/1.1 request needs exactly one Host field, with a host and, if any, a port (RFC 9112 3.2). On HTTP/2 :authority and Host must have that form, without userinfo (RFC 9113 8.3.1).',
  'invalid-content':
    'The request’s content ended before it was complete, or it is not what its fields say it is.',
  'invalid-message':
    'The message cannot be read as HTTP/1.1. Nobody can say where the next one would start, so the connection is closed.',
  unauthorized:
    'The path wants credentials and the request has none, or others. The WWW-Authenticate field tells which scheme; the detail tells what is wrong. With stale=true in the field the credentials were right and the nonce was used up.',
  'cookie-missing':
    'The query has require-cookie, and the credentials came with cookies among which there is none of those that the challenge had set.',
  'redirect-not-allowed':
    'What /redirect-to is to lead to is neither below the host that was asked nor on one of the hosts that --allowed-redirect-domains lists: a public service must not lend its name to other sites.',
  'not-found':
    'No endpoint has this path. Paths are compared as they were sent: what is percent-encoded, dotted or has a doubled slash is another path. The index at / lists them all.',
  'endpoint-off':
    'wirebin has the endpoint, and it is off until a setting turns it on, for what it tells or costs is not for everybody. The detail names the flag; --help has its variable. A path that --disable lists is not-found instead.',
  'method-not-allowed':
    'The path is there and does not take this method. The Allow field lists those it takes.',
  'not-acceptable':
    'The request’s Accept or Accept-Encoding takes none of what the path has, not even plain. The detail or the Vary field tells what was looked at.',
  'request-timeout':
    'The header section or the content did not arrive within its time limit; the connection is closed.',
  'precondition-failed':
    'The representation is not the one that If-Match or If-Unmodified-Since asks for (RFC 9110 13.1).',
  'content-too-large':
    'The request’s content exceeds the limit, which is set by --max-body-size. What comes beyond it is thrown away.',
  'target-too-long':
    'The request target exceeds the limit, which is set by --max-target-size; an HTTP/1.1 connection is closed.',
  'range-not-satisfiable':
    'No range that the Range field asks for lies within the representation. The Content-Range field tells its size.',
  'expectation-failed':
    'The Expect field asks for something other than 100-continue (RFC 9110 10.1.1).',
  'fields-too-large':
    'The header section exceeds a limit, in bytes that of --max-header-size, in fields that of --max-fields; an HTTP/1.1 connection is closed.',
  'internal-error':
    'The request met a defect of wirebin. It has been logged with its cause; please report it.',
  'not-implemented':
    'The request needs something that wirebin does not do: a tunnel by CONNECT, a transfer coding other than chunked, or, in HTTP/1.1, a method that Node does not know. HTTP/2 brings every method.',
  overloaded:
    'As many requests are open as there may be, which is set by --max-open-requests; or what contents of more than 64 KiB and responses of more than 16 KiB take of memory has reached the limit, which is set by --max-content-memory. Clients that take their answers slowly, or send slowly, hold both. Try again.',
  'too-many-readers':
    'The tap serves so many readers at a time and no more. Close one that is not needed.',
  draining:
    'wirebin has been told to stop. It finishes the requests that are open; send new ones elsewhere.',
  'version-not-supported': 'The request’s version is none of HTTP/1.0, HTTP/1.1 and HTTP/2.',
};
