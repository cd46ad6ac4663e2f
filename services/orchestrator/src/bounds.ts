/** Runs that one orchestrator drives at a time, unless configured otherwise (limits.concurrent_runs). */
export const runsMaxDefault = 1_000;
/** Images, sounds and documents of results that one request to a model shows: the latest. Some providers take fewer. */
export const requestBlobsMax = 20;
/** Their bytes: Gemini takes requests of 20 MB, in which a byte is four thirds. */
export const requestBlobBytesMax = 12 * 1024 * 1024;
/** Bytes of them that all requests of a process hold at the same time; a request takes a few times as much while it is sent. */
export const blobRoomBytes = 48 * 1024 * 1024;
/** How long a blob may take to be read, in milliseconds. */
export const blobReadMs = 20_000;
/** How long the store may take to keep one, in milliseconds. */
export const blobPutMs = 20_000;
/** How long all blobs of a request may take to be read, in milliseconds; then it gives back its room, and begins anew. */
export const blobsReadMs = 60_000;
/** How long a stopping orchestrator lets runs go on, in milliseconds. */
export const stopGraceMs = 10_000;
/** Bytes of tool definitions in one request to a model beyond which a warning says where they come from. */
export const toolBytesToldMin = 100_000;
