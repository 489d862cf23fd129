/** Whether a path has the form of a service's or a method's of gRPC. No other endpoint has one of this form. */
export function isMethodPath(path: string): boolean {
  return /^\/(?:\w+\.)+[A-Z]\w*(?:\/\w+)?$/.test(path);
}
