const statuses = ['permanent', 'provisional', 'deprecated', 'obsoleted'] as const;

/** The status of a registered field name (RFC 9110 18.4). */
export type FieldStatus = (typeof statuses)[number];

/** HTTP Field Names (IANA's field-names.csv), as of 2026-10-08. `*` and Close are reserved, and name no field. */
const registered: Readonly<Record<FieldStatus, string>> = {
  permanent: `
    A-IM Accept Accept-Additions Accept-CH Accept-Datetime Accept-Encoding Accept-Features Accept-Language
    Accept-Patch Accept-Post Accept-Query Accept-Ranges Accept-Signature Access-Control-Allow-Credentials
    Access-Control-Allow-Headers Access-Control-Allow-Methods Access-Control-Allow-Origin
    Access-Control-Expose-Headers Access-Control-Max-Age Access-Control-Request-Headers Access-Control-Request-Method
    Age Allow ALPN Alt-Svc Alt-Used Alternates Apply-To-Redirect-Ref Authentication-Control Authentication-Info
    Authorization Available-Dictionary Cache-Control Cache-Group-Invalidation Cache-Groups Cache-Status Cal-Managed-ID
    CalDAV-Timezones Capsule-Protocol CDN-Cache-Control CDN-Loop Cert-Not-After Cert-Not-Before Clear-Site-Data
    Client-Cert Client-Cert-Chain Close Concealed-Auth-Export Connect-UDP-Bind Connection Content-Digest
    Content-Disposition Content-Encoding Content-Language Content-Length Content-Location Content-Range
    Content-Security-Policy Content-Security-Policy-Report-Only Content-Type Cookie Cross-Origin-Embedder-Policy
    Cross-Origin-Embedder-Policy-Report-Only Cross-Origin-Opener-Policy Cross-Origin-Opener-Policy-Report-Only
    Cross-Origin-Resource-Policy DASL Date DAV Delta-Base Deprecation Depth Destination Detached-JWS Dictionary-ID
    DPoP DPoP-Nonce Early-Data ETag Expect Expires Forwarded From Hobareg Host If If-Match If-Modified-Since
    If-None-Match If-Range If-Schedule-Tag-Match If-Unmodified-Since IM Include-Referred-Token-Binding-ID Incremental
    Keep-Alive Label Last-Event-ID Last-Modified Link Link-Template Location Lock-Token Max-Forwards Memento-Datetime
    Meter MIME-Version Negotiate NEL OData-EntityId OData-Isolation OData-MaxVersion OData-Version
    Optional-WWW-Authenticate Ordering-Type Origin Origin-Agent-Cluster OSCORE OSLC-Core-Version Overwrite Ping-From
    Ping-To Position Prefer Preference-Applied Priority Proxy-Authenticate Proxy-Authentication-Info
    Proxy-Authorization Proxy-Public-Address Proxy-Status Public-Key-Pins Public-Key-Pins-Report-Only Range
    Redirect-Ref Referer Referrer-Policy Refresh Replay-Nonce Repr-Digest Retry-After Schedule-Reply Schedule-Tag
    Sec-Fetch-Dest Sec-Fetch-Mode Sec-Fetch-Site Sec-Fetch-User Sec-Purpose Sec-Token-Binding Sec-WebSocket-Accept
    Sec-WebSocket-Extensions Sec-WebSocket-Key Sec-WebSocket-Protocol Sec-WebSocket-Version Server Server-Timing
    Set-Cookie Set-Txn Signature Signature-Input SLUG SoapAction Status-URI Strict-Transport-Security Sunset TCN TE
    Timeout Topic Traceparent Tracestate Trailer Transfer-Encoding TTL Unencoded-Digest Upgrade Urgency
    Use-As-Dictionary User-Agent Variant-Vary Vary Via Want-Content-Digest Want-Repr-Digest Want-Unencoded-Digest
    WWW-Authenticate X-Content-Type-Options X-Frame-Options *
  `,
  provisional: `
    Activate-Storage-Access AMP-Cache-Transform CMCD-Object CMCD-Request CMCD-Session CMCD-Status CMSD-Dynamic
    CMSD-Static Configuration-Context CTA-Common-Access-Token EDIINT-Features Isolation Permissions-Policy
    Repeatability-Client-ID Repeatability-First-Sent Repeatability-Request-ID Repeatability-Result Reporting-Endpoints
    Sec-Fetch-Storage-Access Sec-GPC Surrogate-Capability Surrogate-Control Timing-Allow-Origin
  `,
  deprecated: `
    Accept-Charset C-PEP-Info Content-ID Differential-ID Expect-CT Pragma Protocol-Info Protocol-Query
  `,
  obsoleted: `
    Access-Control C-Ext C-Man C-Opt C-PEP Content-Base Content-MD5 Content-Script-Type Content-Style-Type
    Content-Version Cookie2 Default-Style Derived-From Digest Ext GetProfile HTTP2-Settings Man Method-Check
    Method-Check-Expires Opt P3P PEP PEP-Info PICS-Label ProfileObject Protocol Protocol-Request Proxy-Features
    Proxy-Instruction Public Referer-Root Safe Security-Scheme Set-Cookie2 SetProfile URI Want-Digest Warning
  `,
};

/** The status of each registered name. */
export const fieldNames: Readonly<Record<string, FieldStatus>> = Object.fromEntries(
  statuses.flatMap((status) =>
    registered[status]
      .trim()
      .split(/\s+/)
      .map((name) => [name, status] as const),
  ),
);

const byLowerCase: ReadonlyMap<string, FieldStatus> = new Map(
  Object.entries(fieldNames).map(([name, status]) => [name.toLowerCase(), status]),
);

/** The status of a field name, in any case; undefined if it is not registered. */
export const fieldStatus = (name: string): FieldStatus | undefined =>
  byLowerCase.get(name.toLowerCase());
