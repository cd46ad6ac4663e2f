/** Largest message in either direction, in bytes of its protobuf encoding (over gRPC; in process nothing is encoded). */
export const MESSAGE_BYTES_MAX = 8 * 1024 * 1024;

/** How long a unary call may take when its caller names no timeout, in milliseconds. Streams have no default. */
export const UNARY_TIMEOUT_MS_DEFAULT = 30_000;

/** Longest delay a Node timer can keep, in milliseconds; a deadline further away is kept to this. */
export const TIMER_MS_MAX = 2 ** 31 - 1;

/** Largest description of an error on the wire (kind, text, details as JSON), in bytes. */
export const ERROR_BYTES_MAX = 8 * 1024;

/** Longest error text, in bytes of its JSON form. What is longer is cut and ends in an ellipsis. */
export const ERROR_TEXT_BYTES_MAX = 4 * 1024;

/** Longest plain gRPC status text, in characters: for tools that do not read our error description. */
export const STATUS_TEXT_CHARS_MAX = 512;

/** Longest bearer token that a call carries, in bytes: the bound of one HTTP header in Node. */
export const BEARER_BYTES_MAX = 16 * 1024;

/** Shortest internal token that is accepted, in characters. */
export const INTERNAL_TOKEN_CHARS_MIN = 16;

/** Calls that one connection may have open at a time. */
export const CONCURRENT_CALLS_MAX = 10_000;

/** A connection that was silent for this long is pinged, in milliseconds. */
export const KEEPALIVE_MS = 30_000;

/** A ping that is not answered for this long ends the connection, in milliseconds. */
export const KEEPALIVE_TIMEOUT_MS = 10_000;

/** First and longest pause between attempts to connect again, in milliseconds. */
export const RECONNECT_MS_MIN = 100;
export const RECONNECT_MS_MAX = 2_000;

/** How long a stopping server waits for its last error answers to leave, in milliseconds. */
export const FAREWELL_MS = 500;
