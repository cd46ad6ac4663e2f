/** Longest address that is told, in characters. */
export const urlCharactersMax = 2_048;
/** Longest id of a config, in characters. */
export const configIdCharactersMax = 200;
/** Longest token, and longest credentials, in characters. */
export const secretCharactersMax = 4_096;
/** Longest name of an authentication scheme, in characters. */
export const schemeCharactersMax = 64;
/** How long one update may take to be taken, from the look-up of the name to the status of the answer, in milliseconds. */
export const deliveryMsMax = 10_000;
/** How long a name server is waited for, in milliseconds, and how often it is asked. */
export const dnsTimeoutMs = 2_000;
export const dnsTries = 2;
/** Largest hosts file that is read, in characters. */
export const hostsCharactersMax = 1024 * 1024;
/** What is read of an answer before its connection is cut, in bytes. Nothing in it counts. */
export const answerBytesMax = 64 * 1024;
/** Attempts in a row, for one event, before a config is given up: with the pauses between them about half an hour. */
export const attemptsMax = 12;
/**
 * Attempts in a row for which a notice waits for its link, before it is told without one: with the pauses between them about half an hour. They
 * count for no address: one that has links is given up after so many more.
 */
export const linkAttemptsMax = 12;
/** The pause after the first attempt that failed, which doubles with each, and the longest, in milliseconds. */
export const pauseFirstMs = 1_000;
export const pauseMostMs = 5 * 60_000;
/**
 * Conversations that one orchestrator follows at the same time to tell of them: more than it has runs. The others are told by
 * others, or later.
 */
export const conversationsMax = 4_096;
/** Notifications on their way at the same time: from one orchestrator, and of these to one host. */
export const sendsMax = 256;
export const sendsPerHostMax = 16;
/** Addresses of one host that wait for others of it: whoever comes to more takes up nothing that is for this host alone. */
export const waitingPerHostMax = 64;
/** How long an address is left alone that waited for others of its host longer than it is held, in milliseconds. */
export const crowdedPauseMs = 60_000;
/** Longest pause before a further attempt, or wait for others of the same host, for which a conversation is held that is at rest, in milliseconds. */
export const heldPauseMsMax = 3_000;
/** Pause before a follow that broke off is begun again, in milliseconds. */
export const followPauseMs = 500;
/** Conversations that are known to have addresses, so that they need not wait for the sweep. */
export const knownMax = 10_000;
/** How long a conversation whose addresses could not be told, by a fault of ours, is left alone, in milliseconds. */
export const faultPauseMs = 60_000;
/** Longest reason that is recorded, in characters. */
export const reasonCharactersMax = 200;
/** Longest text among the arguments that a webhook is shown, in characters, and all of them as JSON, in bytes. */
export const argumentTextCharactersMax = 1_000;
export const argumentsBytesShown = 8 * 1024;
/** Longest description that a webhook is shown, in bytes. */
export const descriptionBytesShown = 4 * 1024;
/** Longest name in a title, in characters. */
export const titleNameCharactersMax = 100;
