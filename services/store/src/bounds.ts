/** Every bound of the store, with its unit. Reaching one is a typed error of the call that did. */

/** Longest idempotency key, in characters. */
export const keyCharactersMax = 200;
/** Longest request digest, in characters. */
export const digestCharactersMax = 128;
/** Idempotency keys that one load may ask for. */
export const keysPerLoadMax = 8;
/** Calls whose tickets are read together. */
export const ticketsPerReadMax = 64;
/** Longest text field of an event's envelope (ids, actor, address), in characters. */
export const envelopeTextCharactersMax = 1_000;

/** Largest key that is kept, in bytes: it is sealed. */
export const sealedKeyBytesMax = 512;

/** Most events in one page of a stream. */
export const pageEventsMax = 1_000;
/** About how many bytes one page of events may have; a page holds at least one event. */
export const pageBytesMax = 1024 * 1024;
/** Most messages in one page of a conversation. */
export const pageMessagesMax = 1_000;
/** About how many bytes one page of messages may have; a page holds at least one message. */
export const pageMessageBytesMax = 2 * 1024 * 1024;
/**
 * About how many bytes the pending approvals of one view may have; it shows the oldest of them. A view comes with most answers
 * and is a row of a list. An approval is a tenth of that at most.
 */
export const viewApprovalBytesMax = 1024 * 1024;
/** Rows of a list when the caller names no number. */
export const listLimitDefault = 100;
/** Most rows of a list. */
export const listLimitMax = 1_000;
/** About how many bytes one page of a list may have; a page holds at least one row. */
export const listBytesMax = 2 * 1024 * 1024;
/** Conversations and texts that are looked at for what was said in a context. */
export const contextRowsMax = 2_000;
/** Rows of a list that are read at a time, so that large ones do not fill the memory. */
export const listRowsPerRead = 50;

/** Events that are passed over, at most, before whoever watches approvals is told how far the log was looked at. */
export const eventsPerProgressMax = 256;
/** Settled approvals that whoever watches is not told of again: more than one append settles. */
export const settledKeptMax = 1_024;
/** Rows that one page of a list of approvals looks at, at most: a page with a narrow filter may be short, and says where to go on. */
export const approvalsLookedAtMax = 10_000;

/** Words that somebody is asked by: as many groups as a token has room for, and some. */
export const askedWordsMax = 2_200;
/** Longest search text, in characters. */
export const queryCharactersMax = 200;
/** Most words of a search text that count. */
export const queryWordsMax = 16;
/** Characters of a message that can be found by search, from its start. */
export const searchableCharactersMax = 8_192;
/** Index look-ups of one search; a search that needs more answers with what it has and a cursor to go on. */
export const searchStepsMax = 2_000;
/** Longest cursor, in characters. */
export const cursorCharactersMax = 200;

/** Appends that may wait for the disk at once. */
export const waitingAppendsMax = 4_096;
/** Bytes of payload that may wait for the disk at once. */
export const waitingBytesMax = 64 * 1024 * 1024;
/** Appends that share one commit at most: how long one commit may hold up everything else. */
export const appendsPerCommitMax = 128;
/** Bytes of payload that share one commit at most. */
export const bytesPerCommitMax = 4 * 1024 * 1024;
/** How long ago a stream was appended to that counts as one that is appended to now, in milliseconds. */
export const recentMs = 10;
/** Such streams up to which a commit holds nobody up: one conversation alone, and the next one of the same client. */
export const recentStreamsFew = 3;
/** For each stream that is appended to now, how long the next commit is held back to be shared, in milliseconds. */
export const gatherMsPerStream = 0.2;
/** How long it is held back at most, in milliseconds. */
export const gatherMsMax = 4;
/** Commits of the thread that writes after which it moves them from SQLite's log into the file itself. */
export const commitsPerMove = 256;
/** The same in bytes of values. */
export const bytesPerMove = 8 * 1024 * 1024;
/** Pages of that log from which on it is begun anew: at SQLite's own 1,000 the slowest commits take three times as long. */
export const logPagesMax = 4_000;
/** Threads that are started one after the other, when one has ended by itself; after that all is written without one. */
export const commitThreadsMax = 3;
/** Memory of the thread that writes, in megabytes: beside it is the cache of its connection. */
export const commitThreadMemoryMb = 64;
/** How long what a replica took into its views may not be on its disk yet, in milliseconds; the log has it. */
export const uncommittedMsMax = 250;

/** How often a disk that takes nothing is told of, in milliseconds. */
export const diskTellMs = 60_000;
/** The same of servers of NATS that have no space. */
export const noSpaceTellMs = 60_000;
/** How long that is believed while nobody is refused for it, in milliseconds. */
export const noSpaceForgottenMs = 60_000;
/** How often such a disk is looked at, in milliseconds. */
export const diskProbeMs = 2_000;
/** Free bytes with which a disk that was full counts as well again: the largest append and its views, and as much for others. A blob that was refused needs more. */
export const diskRoomBytes = 4 * 1024 * 1024;
/** Largest piece in which a blob is kept and given out, in bytes. */
export const blobPieceBytesMax = 256 * 1024;
/** Bytes of blobs that may wait to be stored at once; one may always wait. */
export const waitingBlobBytesMax = 64 * 1024 * 1024;
/** Time between two looks for blobs that no event came to name, in milliseconds. */
export const blobSweepMs = 60_000;
/** How long a change of what is known of a blob in NATS is tried, in milliseconds. */
export const blobChangeMsMax = 8_000;
/** How long pieces that nobody needs are looked at once more in NATS, in milliseconds: longer than any blob takes to be handed in. */
export const blobDroppedMs = 10 * 60_000;
/** Blobs that are looked at in one step. */
export const blobsPerSweepPage = 200;

/** Longest time that an append tries to reach the log in NATS, in milliseconds: shorter than its callers wait. */
export const appendWaitMsMax = 4_000;
/** Longest wait for the answer to one message that is handed to NATS, in milliseconds. */
export const publishWaitMsMax = 2_000;
/** Pause before a message is handed in again, in milliseconds. */
export const publishAgainMs = 50;
/** How long a call waits for a connection to NATS that is lost, in milliseconds. */
export const outageWaitMsMax = 1_000;
/** Appends of our own that may wait for earlier messages of others; what is more is read from NATS. */
export const aheadAppendsMax = 4_096;
/** Bytes that they may have. */
export const aheadBytesMax = 64 * 1024 * 1024;
/** Messages that NATS may send ahead of what was taken into the views. */
export const feedMessagesMax = 128;
/** How often NATS says that there is nothing to send, in milliseconds. */
export const feedHeartbeatMs = 1_000;
/** How often in a row it may not say it until the feed is begun again. */
export const feedHeartbeatsMissedMax = 4;
/** Pause before a feed that ended is begun again, in milliseconds. */
export const feedAgainMs = 250;
/** How long a message that was acknowledged may take to come before it is asked for anew, in milliseconds. */
export const feedStuckMs = 1_000;
/** How long the log must end before what was read from it until that is taken for its end, in milliseconds. */
export const shorterLogMsMax = 5_000;
/** How long NATS keeps a feed that nobody takes anything from, in milliseconds. */
export const feedKeptMs = 60_000;
/** Pause before messages are taken into the views again when the file could not be written, in milliseconds. */
export const applyAgainMs = 200;
/** Appends that are kept in memory to be read again. */
export const recentAppendsMax = 10_000;
/** Bytes of their messages. */
export const recentBytesMax = 16 * 1024 * 1024;
/** Messages of NATS that one reader fetches at once. */
export const readsAtOnceMax = 64;
/** Longest wait at the end for appends in flight, in milliseconds. */
export const closeWaitMsMax = 5_000;

/**
 * Streams (follow, subscribe, watch) that may be open at once, unless told otherwise. Each open stream of the API takes two,
 * each run that is driven may take one: room for several times the default limits of both (1,000).
 */
export const openStreamsMaxDefault = 16_384;
/** Deltas that may wait for one slow watcher; what is more is dropped. */
export const deltasPerWatcherMax = 256;
/** Bytes of the deltas that may wait for one slow watcher; what is more is dropped, but one may always wait. */
export const deltaBytesPerWatcherMax = 256 * 1024;
/** Longest text of one delta, in characters. */
export const deltaCharactersMax = 64 * 1024;
/** Instances whose heartbeats are kept: those renewed last. */
export const instancesMax = 1_000;
/** Longest instance id, role or address, in characters. */
export const instanceTextCharactersMax = 300;
/** Waits of runs that one heartbeat tells of. */
export const instanceWaitsMax = 200;

/** Conversations whose folded state is kept in memory. */
export const hotConversationsMax = 1_000;
/** Bytes of their snapshots; decoded, a state takes a few times as much. */
export const hotBytesMax = 4 * 1024 * 1024;
/** Approvals that are kept in memory. */
export const hotApprovalsMax = 2_000;
/** Characters of their long texts. */
export const hotApprovalCharactersMax = 2 * 1024 * 1024;
/** Streams whose last revision and hash are kept in memory. */
export const hotHeadsMax = 10_000;

/** Events of one transaction of a rebuild. */
export const rebuildEventsPerBatch = 500;
/** Time between two progress lines of a rebuild, in milliseconds. */
export const rebuildProgressMs = 2_000;
/** Conversations that are counted for the total of a list; what is more is not told. */
export const countedMax = 10_000;
/** Longest wait of a read for the revision that it must show, in milliseconds. */
export const readWaitMsMax = 5_000;
/** How often a verification goes on to read a stream that others append to meanwhile. */
export const readAgainMax = 100;
/** Problems that one verification lists; it stops at the last. */
export const problemsMax = 100;
/** Events that a follower or subscriber is given from the log at a time. */
export const catchUpEventsMax = 64;
/** About how many bytes they may have. */
export const catchUpBytesMax = 256 * 1024;
/** Messages of one conversation: the sequence has room for so many. */
export const messagesPerConversationMax = 2 ** 20;
/**
 * Highest position of a conversation's first event: with a sequence behind it, it is a whole number that can be told from
 * its neighbours. A log reaches it after 8.6 thousand million events.
 */
export const conversationKeyMax = 2 ** 33 - 2;
/** Longest reason for which a conversation was set aside, in characters. */
export const damageReasonCharactersMax = 300;
/** Conversations set aside that a start names in the log. */
export const setAsideLoggedMax = 100;

/** Events that a load gives in place of a snapshot. */
export const unseenPerLoadMax = 64;

/** Messages whose words a verification of the search index compares in one pass over the index. */
export const messagesPerPassMax = 250_000;
/** Occurrences of words that it reads before others have their turn. */
export const occurrencesPerTurnMax = 2_000;
/** Words that a problem of the search index quotes. */
export const quotedWordsMax = 5;
