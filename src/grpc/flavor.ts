/** Which form of gRPC a call has. */
export interface Flavor {
  /** Content-Type of the request, which the response repeats. */
  readonly contentType: string;
  /** gRPC-Web, whose trailers are a frame of the content (grpc/grpc doc/PROTOCOL-WEB.md). */
  readonly isWeb: boolean;
  /** gRPC-Web in base64. */
  readonly isText: boolean;
}

/** The form that a Content-Type declares; undefined if it is not gRPC, or not in protocol buffers. */
export function flavorOf(contentType = ''): Flavor | undefined {
  const [, type, web, text] =
    /^(application\/grpc(-web(-text)?)?(?:\+proto)?)[\t ]*(?:;|$)/i.exec(contentType) ?? [];
  if (type === undefined) return undefined;
  return { contentType: type, isWeb: web !== undefined, isText: text !== undefined };
}
