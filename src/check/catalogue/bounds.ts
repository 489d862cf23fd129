/** Bytes. */
export const KiB = 1024;

/** Factor for the time limit of transfers of 10 MiB and more, on a slow connection or a busy machine. */
export const LARGE_TIME_FACTOR = 4;

/** Milliseconds within which a part of a message that is forwarded without buffering reaches the other side. */
export const PROMPT = 750;

/** Attempts of a check that needs a certain connection to the origin: the target may take another one from its pool. */
export const POOL_ATTEMPTS = 3;
