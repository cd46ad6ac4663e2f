/** Every bound of the gateway, with its unit. */

/** Characters of an `Idempotency-Key`. */
export const idempotencyKeyCharactersMin = 16;
export const idempotencyKeyCharactersMax = 128;
/** Characters of the name under which somebody decides (`X-Approver`, `by`). */
export const approverCharactersMax = 128;
/** Approvals that one request decides on. */
export const decisionsMax = 100;
/** Bytes of UTF-8 of the reason given for a cancel. */
export const cancelReasonBytesMax = 1_024;
/** Characters of a malformed id that an error repeats. */
export const echoCharactersMax = 200;

/** Revisions are unsigned 32-bit numbers; the one after the last seen must be one too. */
export const revisionMax = 0xffff_fffe;

/** Items of a page of a list. */
export const pageItemsDefault = 100;
export const pageItemsMax = 1_000;
/** Characters of a search text and of a cursor. */
export const queryCharactersMax = 200;
export const cursorCharactersMax = 512;
/** Characters of the name of a tool, a server or a node that a list is narrowed to. */
export const nameCharactersMax = 512;
/** Messages asked for in one call to the store. */
export const messagesPerCall = 500;
/** Bytes of messages, as JSON, after which a list that includes them ends early. */
export const listedMessageBytesMax = 32 * 1024 * 1024;
/** Bytes of the events that a conversation is folded from to show it as it stood: they are held meanwhile. */
export const pastBytesMax = 32 * 1024 * 1024;
/** Conversations that a gateway folds so at once. */
export const pastsMax = 4;
/** How long a store may take to verify a conversation, in milliseconds, and how many it verifies at once for a gateway. */
export const verifyMs = 120_000;
export const verificationsMax = 2;
/** Characters of an answer that are sent at once; a shorter one is sent whole, with its length. */
export const answerPieceCharacters = 64 * 1024;

/** How long a health check waits for the word of a store, in milliseconds. */
export const conditionWaitMs = 500;

/** What a call to a service may take beyond the wait that it was asked for, in milliseconds. */
export const callMarginMs = 30_000;
/** How long a bridge has to ask an authorization server, which is some requests, in milliseconds. */
export const connectMs = 30_000;
/** How long a bridge has to tell how its tool servers are, in milliseconds. */
export const listServersMs = 2_000;
/** How long an orchestrator has to tell which agents models are offered, in milliseconds. */
export const listAgentsMs = 1_000;
/** The pause that a 429 or 503 asks for when the service names none, in milliseconds. */
export const retryAfterMsDefault = 1_000;

/** How often a silent event stream shows that it is alive, in milliseconds. */
export const sseHeartbeatMs = 15_000;
/** How often whoever follows something is asked again who they are: so long a stream outlives the right to it at most. */
export const recheckMs = 30_000;
/** How long a client is asked to wait before it reconnects an event stream, in milliseconds. */
export const sseRetryMs = 1_000;
/** How long a client may leave an event or an answer unread before its connection is closed, in milliseconds. */
export const readerStallMs = 60_000;

/** Bytes of a request's header. */
export const headerBytesMax = 16 * 1024;
/** Time for the header of a request to arrive, in milliseconds. */
export const headersTimeoutMs = 10_000;
/** Time for a whole request, its body included, to arrive, in milliseconds. The answer may take longer. */
export const requestTimeoutMs = 60_000;
/** Time that an idle connection is kept, in milliseconds. */
export const keepAliveTimeoutMs = 60_000;
/** How often connections are checked against the times above, in milliseconds. */
export const connectionsCheckMs = 2_000;
/** Connections open at the same time; more are closed at once. */
export const connectionsMax = 10_000;

/** How long running requests may take to finish when the gateway stops, in milliseconds. */
export const stopGraceMs = 8_000;

/** Messages of a task's history that are shown at once, what tools were told and told included. */
export const historyMessagesMax = 100;

/** Bytes of the name of an agent, and of a commit, branch or tag. */
export const agentNameBytesMax = 1_024;
export const revisionBytesMax = 256;
/** Agents that may call one below another in a run, as far as any configuration goes. */
export const callDepthMax = 32;

/** Conversations that are named of those whose runs wait for one thing. */
export const waitConversationsShown = 10;
