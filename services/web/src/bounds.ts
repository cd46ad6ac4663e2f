/** Every bound of the web server, with its unit. */

/** Bytes of a body that is read here instead of being passed on as it comes. */
export const bodyBytesMax = 1024 * 1024;
/** Bytes of a request's header. */
export const headerBytesMax = 16 * 1024;
/** Time for the header of a request to arrive, in milliseconds. */
export const headersTimeoutMs = 10_000;
/** Connections open at the same time; more are closed at once. */
export const connectionsMax = 5_000;
/** How long running requests may take to finish when the server stops, in milliseconds. */
export const stopGraceMs = 5_000;
/** How long a browser keeps a file whose name holds the digest of its content, in seconds. */
export const hashedFileSeconds = 31_536_000;
/** Ports that are tried one after the other where the wanted one is taken. */
export const portsTried = 20;
