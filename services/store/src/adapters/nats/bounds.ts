/** Every bound of what the store does with NATS besides the event log, with its unit. */

/** Oldest server that keeps what the event log needs (metadata of a stream, its echo). */
export const serverVersionMin = '2.10.0';
/** Smallest message that a server must take, in bytes: an append and its frame fit. */
export const maxPayloadMin = 1024 * 1024;
/** Longest wait for a connection to one server, in milliseconds. */
export const dialMsMax = 5_000;
/** Time between two tries to connect, in milliseconds, and what is added by chance so that not all come at once. */
export const redialMs = 250;
export const redialJitterMs = 250;
/** Time between two lines of the log that say what is still waited for, in milliseconds. */
export const waitingLogMs = 5_000;
/** Time between two looks whether the connection lives, in milliseconds. */
export const pingMs = 2_000;
/** Looks without an answer after which it counts as lost. */
export const pingsUnansweredMax = 2;
/** Longest wait for one answer of JetStream about streams and buckets, in milliseconds. */
export const askMsMax = 2_000;
/** Longest wait for an answer of the monitoring address, in milliseconds. */
export const monitorMsMax = 2_000;
/** How long a caller should wait before it tries again what needs NATS, in milliseconds. */
export const retryAfterMs = 1_000;
/** Longest wait for messages on their way when the connection is closed, in milliseconds. */
export const closeMsMax = 1_000;

/** Rights that are missing and that the log is told of, each once. */
export const forbiddenLoggedMax = 20;

/** How long a heartbeat is kept that is not renewed, in milliseconds. */
export const beatKeptMs = 5 * 60_000;
/** Longest wait of a heartbeat until this replica sees it, in milliseconds. */
export const beatSeenMsMax = 1_000;
/** Tries of one heartbeat, each on a bucket watched anew. */
export const beatTriesMax = 2;

/**
 * How long a leader may not have heard from a server that keeps a copy and still count on it, in milliseconds: those that do not hear the
 * leader elect another after 4 s at the soonest, and what is heard at all is heard each second.
 */
export const copySilentMsMax = 3_000;

/**
 * How long the heartbeats may have no leader, while the server answers, until they are made anew, in milliseconds; and how long after
 * the failure before a failure follows it.
 */
export const stuckMsMax = 3_000;
/** The same of heartbeats that have just been made anew, in milliseconds: servers may take 4 to 9 seconds to elect a leader. */
export const electedMsMax = 10_000;

/** Time between two announcements of what is watched, in milliseconds. */
export const interestRenewedMs = 2_000;
/** How long what another replica announced holds without a renewal, in milliseconds. */
export const interestKeptMs = 3 * interestRenewedMs;
/** Conversations in one announcement. */
export const interestPerMessageMax = 1_000;
/** Conversations that others announced and that are remembered at once; more count as not watched. */
export const interestMax = 100_000;
