/** Every bound of an agent, with its unit. */

/** Revisions are unsigned 32-bit numbers; the one after the last seen must be one too. */
export const revisionMax = 0xffff_fffe;
/** How long a card may be believed without asking again, in seconds. */
export const cardMaxAgeS = 60;

/** Tasks that an agent keeps in memory; those that ended first make room for new ones. */
export const tasksMaxDefault = 10_000;
/** Bytes of all of them, about; again those that ended first make room. */
export const tasksBytesMax = 256 * 1024 * 1024;
/** Bytes of one task, about: a process that shows more has failed, and no message goes further. */
export const taskBytesMaxDefault = 16 * 1024 * 1024;
/** How long a task waits for its peer, in milliseconds; then it has failed. */
export const waitingMsMax = 24 * 60 * 60 * 1_000;
/** How often tasks that have waited for too long are looked for, in milliseconds. */
export const waitingLookMs = 60_000;
/** What an object or a list is taken to hold beside what is in it, in bytes. */
export const objectBytes = 64;
/** Tasks of a page of a list. */
export const tasksPerPageDefault = 50;
export const tasksPerPageMax = 100;
/** Messages that a task keeps; the oldest are dropped. */
export const historyMessagesMax = 1_000;
/** Updates that wait for a follower who reads slowly; one who falls further behind is cut off. */
export const updatesAheadMax = 1_000;
/** Characters of an error's text that a peer is told. */
export const errorCharactersMax = 1_000;
/** Bytes of a request's body, unless the agent sets another bound. */
export const bodyBytesMaxDefault = 4 * 1024 * 1024;
/** How long an answer waits for its task before it shows the task as it is, in milliseconds, unless the agent says otherwise. */
export const answerWaitMsDefault = 120_000;
/** Event streams open at once. */
export const openStreamsMax = 1_000;
/** How often a silent event stream shows that it is alive, in milliseconds. */
export const streamHeartbeatMs = 15_000;
/** How long a client may leave an event unread before its connection is closed, in milliseconds. */
export const streamStallMs = 60_000;
/** How long running requests may take to finish when the agent stops, in milliseconds. */
export const agentStopGraceMs = 8_000;
/** Characters of the name of a method that is not found which its sender is shown again. */
export const methodCharactersShownMax = 100;
/** Characters of an id that is none which its sender is shown again. */
export const echoCharactersMax = 200;
/** Characters of the token of a page. */
export const cursorCharactersMax = 512;
