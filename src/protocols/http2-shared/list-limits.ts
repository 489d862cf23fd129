/**
 * Limits of header sections above which a stream is reset, as a multiple of wirebin's own. Above those the response is
 * 431.
 */
export const NATIVE_LIMIT_FACTOR = 2;
