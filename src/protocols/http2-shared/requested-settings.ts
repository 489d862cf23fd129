/** Maximum number of unacknowledged SETTINGS. Node destroys a session with more than 10. */
export const MAX_PENDING_SETTINGS = 8;
/** Maximum SETTINGS_INITIAL_WINDOW_SIZE in bytes that any client may ask for. */
const MAX_REQUESTED_WINDOW = 256 * 1024;

/** Maximum SETTINGS_INITIAL_WINDOW_SIZE in bytes that a request may have sent. @param announced the one of all clients */
export const maxRequestedWindow = (announced: number): number =>
  Math.max(MAX_REQUESTED_WINDOW, announced);
