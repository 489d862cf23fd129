import { valuesOf, type FieldLine } from '../../src/check/message.ts';
import { Malformed, type Framing } from './_bytes.ts';

/** How the content of a response is delimited (RFC 9112 6.3). */
export function responseFraming(
  method: string,
  status: number,
  fields: readonly FieldLine[],
): Framing {
  if (method === 'HEAD' || status === 204 || status === 304) return 'none';
  const codings = valuesOf(fields, 'transfer-encoding');
  const lengths = valuesOf(fields, 'content-length');
  if (codings.length > 0) {
    if (codings.join().toLowerCase() !== 'chunked' || lengths.length > 0) {
      throw new Malformed('Transfer-Encoding', 502);
    }
    return 'chunked';
  }
  if (lengths.length === 0) return 'until-close';
  return { length: contentLength(lengths, 502) };
}

/** @throws Malformed unless there is one number */
export function contentLength(values: readonly string[], status = 400): number {
  const [value = ''] = values;
  if (values.length !== 1 || !/^\d{1,15}$/.test(value))
    throw new Malformed('Content-Length', status);
  return Number(value);
}
