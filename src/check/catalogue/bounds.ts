/** Bytes. */
export const KiB = 1024;

/** 10 MiB and more take longer than other transfers may, on a slow connection or a busy machine. */
export const LARGE_TIME_FACTOR = 4;

/** Milliseconds in which a part of a message that is forwarded at once reaches the other side. */
export const PROMPT = 750;

/** Attempts of a check that needs a given connection to the origin: the target may take another one of its pool. */
export const POOL_ATTEMPTS = 3;
