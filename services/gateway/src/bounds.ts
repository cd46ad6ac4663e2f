/** Every bound of the gateway, with its unit. */

/** Characters of an `Idempotency-Key`. */
export const IDEMPOTENCY_KEY_CHARACTERS_MIN = 16;
export const IDEMPOTENCY_KEY_CHARACTERS_MAX = 128;
/** Characters of the name under which somebody decides (`X-Approver`, `by`). */
export const APPROVER_CHARACTERS_MAX = 128;
/** Bytes of UTF-8 of the reason given for a cancel. */
export const CANCEL_REASON_BYTES_MAX = 1_024;
/** Characters of a malformed id that an error repeats. */
export const ECHO_CHARACTERS_MAX = 200;

/** Revisions are unsigned 32-bit numbers; the one after the last seen must be one too. */
export const REVISION_MAX = 0xffff_fffe;

/** Items of a page of a list. */
export const PAGE_ITEMS_DEFAULT = 100;
export const PAGE_ITEMS_MAX = 1_000;
/** Characters of a search text and of a cursor. */
export const QUERY_CHARACTERS_MAX = 200;
export const CURSOR_CHARACTERS_MAX = 512;
/** Messages asked for in one call to the store. */
export const MESSAGES_PER_CALL = 500;
/** Bytes of messages, as JSON, after which a list that includes them ends early. */
export const LISTED_MESSAGE_BYTES_MAX = 32 * 1024 * 1024;
/** Characters of an answer that are sent at once; a shorter one is sent whole, with its length. */
export const ANSWER_PIECE_CHARACTERS = 64 * 1024;

/** How long a health check waits for the word of a store, in milliseconds. */
export const CONDITION_WAIT_MS = 500;

/** What a call to a service may take beyond the wait that it was asked for, in milliseconds. */
export const CALL_MARGIN_MS = 30_000;
/** How long a bridge has to tell how its tool servers are, in milliseconds. */
export const LIST_SERVERS_MS = 2_000;
/** How long an orchestrator has to tell which agents models are offered, in milliseconds. */
export const LIST_AGENTS_MS = 1_000;
/** The pause that a 429 or 503 asks for when the service names none, in milliseconds. */
export const RETRY_AFTER_MS_DEFAULT = 1_000;

/** How often a silent event stream shows that it is alive, in milliseconds. */
export const SSE_HEARTBEAT_MS = 15_000;
/** How long a client is asked to wait before it reconnects an event stream, in milliseconds. */
export const SSE_RETRY_MS = 1_000;
/** How long a client may leave an event or an answer unread before its connection is closed, in milliseconds. */
export const READER_STALL_MS = 60_000;

/** Bytes of a request's header. */
export const HEADER_BYTES_MAX = 16 * 1024;
/** Time for the header of a request to arrive, in milliseconds. */
export const HEADERS_TIMEOUT_MS = 10_000;
/** Time for a whole request, its body included, to arrive, in milliseconds. The answer may take longer. */
export const REQUEST_TIMEOUT_MS = 60_000;
/** Time that an idle connection is kept, in milliseconds. */
export const KEEP_ALIVE_TIMEOUT_MS = 60_000;
/** How often connections are checked against the times above, in milliseconds. */
export const CONNECTIONS_CHECK_MS = 2_000;
/** Connections open at the same time; more are closed at once. */
export const CONNECTIONS_MAX = 10_000;

/** How long running requests may take to finish when the gateway stops, in milliseconds. */
export const STOP_GRACE_MS = 8_000;

/** Messages of a task's history that are shown at once, what tools were told and told included. */
export const HISTORY_MESSAGES_MAX = 100;
/** Tasks of a page of a list. */
export const TASKS_PER_PAGE_DEFAULT = 50;
export const TASKS_PER_PAGE_MAX = 100;
