/** Every bound of an agent, with its unit. */

/** Revisions are unsigned 32-bit numbers; the one after the last seen must be one too. */
export const REVISION_MAX = 0xffff_fffe;
/** How long a card may be believed without asking again, in seconds. */
export const CARD_MAX_AGE_S = 60;

/** Tasks that an agent keeps in memory; those that ended first make room for new ones. */
export const TASKS_MAX = 10_000;
/** Bytes of all of them, about; again those that ended first make room. */
export const TASKS_BYTES_MAX = 256 * 1024 * 1024;
/** Bytes of one task, about: a process that shows more has failed, and no message goes further. */
export const TASK_BYTES_MAX = 16 * 1024 * 1024;
/** How long a task waits for its peer, in milliseconds; then it has failed. */
export const WAITING_MS_MAX = 24 * 60 * 60 * 1_000;
/** How often tasks that have waited for too long are looked for, in milliseconds. */
export const WAITING_LOOK_MS = 60_000;
/** What an object or a list is taken to hold beside what is in it, in bytes. */
export const OBJECT_BYTES = 64;
/** Tasks of a page of a list. */
export const TASKS_PER_PAGE_DEFAULT = 50;
export const TASKS_PER_PAGE_MAX = 100;
/** Messages that a task keeps; the oldest are dropped. */
export const HISTORY_MESSAGES_MAX = 1_000;
/** Updates that wait for a follower who reads slowly; one who falls further behind is cut off. */
export const UPDATES_AHEAD_MAX = 1_000;
/** Characters of an error's text that a peer is told. */
export const ERROR_CHARACTERS_MAX = 1_000;
/** Bytes of a request's body, unless the agent sets another bound. */
export const BODY_BYTES_MAX = 4 * 1024 * 1024;
/** How long an answer waits for its task before it shows the task as it is, in milliseconds, unless the agent says otherwise. */
export const ANSWER_WAIT_MS = 120_000;
/** Event streams open at once. */
export const OPEN_STREAMS_MAX = 1_000;
/** How often a silent event stream shows that it is alive, in milliseconds. */
export const STREAM_HEARTBEAT_MS = 15_000;
/** How long a client may leave an event unread before its connection is closed, in milliseconds. */
export const STREAM_STALL_MS = 60_000;
/** How long running requests may take to finish when the agent stops, in milliseconds. */
export const AGENT_STOP_GRACE_MS = 8_000;
/** Characters of the name of a method that is not found which its sender is shown again. */
export const METHOD_CHARACTERS_SHOWN_MAX = 100;
