/** Every bound of the domain, with its unit. Reaching one is visible: an error result, a mark, an event. */

/** Longest text of a message or tool result that is kept, in bytes of UTF-8; what is longer is cut and marked. */
export const textBytesMax = 256 * 1024;
/**
 * Largest image, sound or document of a result that is kept, in bytes: nothing larger fits into one message of a tool server. What is
 * larger is told of in words only.
 */
export const blobBytesMax = 12 * 1024 * 1024;
/** Blobs of one result that are kept; the others are told of in words only. */
export const blobsPerResultMax = 32;
/** Longest name of a blob, in characters, and longest media type. */
export const blobNameCharactersMax = 200;
export const mediaTypeCharactersMax = 100;
/** Longest structured part of a result that is kept beside its text, in bytes of UTF-8; a longer one is left out. */
export const structuredBytesMax = 64 * 1024;
/** Longest message a user may send, in bytes of UTF-8. */
export const messageBytesMax = 64 * 1024;
/** Longest arguments of one call, in bytes of UTF-8; a call with more gets an error result. */
export const argumentsBytesMax = 64 * 1024;
/** Longest message that a node of the tree delegates, as the JSON of its arguments, in bytes of UTF-8; with more it has failed. */
export const delegatedBytesMax = 256 * 1024;
/** Longest text of another agent that is kept with a change of its task's state, in bytes of UTF-8. */
export const taskTextBytesMax = 16 * 1024;
/** Changes of a task that are recorded of one attempt; what comes after them is learnt by asking only. */
export const taskUpdatesMax = 256;
/** Longest id or state of a task that another agent may give, in bytes of UTF-8: longer ones are not taken for such. */
export const taskWordBytesMax = 1024;
/** Questions that one task of another agent may wait for at once; further ones are asked about when some are answered. */
export const remoteQuestionsMax = 32;
/** Arguments and texts of questions that are put on the record in one append, in bytes of UTF-8; at least one question is. */
export const remoteQuestionsBytesMax = 128 * 1024;
/** Times that people are asked about one call in all; an agent that asks for more has failed. */
export const askedPerCallMax = 256;
/** Tasks of earlier runs of a conversation that are ended at other agents still; beyond that the oldest are given up. */
export const leftElsewhereMax = 256;
/** Agents between the one that is asked and the one that asks, and the most that is shown of each name, in characters. */
export const remoteChainMax = 16;
export const remoteNameCharactersMax = 128;
/** Longest description of an approval, in bytes of UTF-8. */
export const descriptionBytesMax = 16 * 1024;
/** Largest append, in bytes of its payloads. */
export const appendBytesMax = 512 * 1024;
/** Most events in one append. */
export const appendEventsMax = 256;
/** Agents of this platform that work in one run at once, or are about to; calls of more get an error result. */
export const openAgentsMax = 64;
/** Times that an agent is told to say that it has done its task; then its step fails. */
export const remindersMax = 2;
/** What is told to a called agent of what was said before, in bytes of UTF-8: the latest. */
export const agentContextBytesMax = 64 * 1024;
/** What an agent is told of those that it may call, in bytes of UTF-8. */
export const agentsToldBytesMax = 16 * 1024;
/** What a called agent is told of its own memory, in bytes of UTF-8, and as much of session state and of what the run's agents share. */
export const memoriesToldBytesMax = 16 * 1024;
export const stateToldBytesMax = 16 * 1024;
/** Calls in one model answer; an answer with more is a failure of the model. */
export const callsPerAnswerMax = 32;
/** Calls that all branches of a run wait for, or have just had, at once: the state names each of them. More get an error result. */
export const callsPerRunMax = 1_024;
/** Changes of a tool that one call survives (each asks anew where an approval is needed); then it gets an error result. */
export const pinChangesPerCallMax = 3;
/** Levels of objects and lists in a JSON text that is put in canonical form: deeper ones would exhaust the stack. */
export const jsonDepthMax = 200;
/** Characters of a conversation's title. */
export const titleCharactersMax = 200;
/** Characters of a failed call's result that a failure text repeats. */
export const failureExcerptCharactersMax = 4_000;
/** Longest text that a failed run answers with, in bytes of UTF-8. Every level of the tree repeats it in one append. */
export const failureBytesMax = 16 * 1024;
/** Bytes of what failed branches say, all together, in the output of a node that goes on without them. */
export const continuedFailureBytesMax = 4 * 1024;
/** Approvals that the append which settles a run withdraws in so many words; the others are withdrawn by its end. */
export const withdrawalsPerAppendMax = 128;
/** Earlier turns of a conversation that a node of a tree is told. */
export const earlierTurnsMax = 10;
/** Their texts, in bytes of UTF-8; an older turn that does not fit any more is left out whole. */
export const earlierTurnsBytesMax = 32 * 1024;
/** Longest id of a context, in bytes of UTF-8. */
export const contextIdBytesMax = 256;
/** Texts of earlier conversations of its context that a new one is told. */
export const contextTextsMax = 128;
/** The same in bytes of UTF-8. What was said before them is left out, and that is said. */
export const contextTextsBytesMax = 64 * 1024;
/** Longest text in what a view shows of a paused run's session state, in bytes of UTF-8. */
export const pipelineTextBytesMax = 8 * 1024;
/** All those texts together, in bytes of UTF-8: with many keys each has its share. */
export const pipelineStateBytesMax = 64 * 1024;
/** Bytes of an append that are left for what follows from a model's answer: steps that finish, state that is set. */
export const appendReserveBytes = 64 * 1024;
/** Events of an append that are left for the same. */
export const appendReserveEvents = 64;
/** Addresses that are told of what becomes of one conversation. */
export const pushConfigsMax = 16;
/** Longest text with which a tool server asks a person something, in bytes of UTF-8. */
export const inputMessageBytesMax = 4 * 1024;
/** Longest schema of the values that it asks for, in bytes of UTF-8, and how many values these may be. */
export const inputSchemaBytesMax = 8 * 1024;
export const inputFieldsMax = 64;
/** Longest address that it has a person open, in bytes of UTF-8. */
export const inputUrlBytesMax = 2 * 1024;
/** What a tool server may have a model asked: all its texts, in bytes of UTF-8, how many messages, how many stop sequences. */
export const samplingBytesMax = 64 * 1024;
export const samplingMessagesMax = 64;
export const samplingStopsMax = 16;
/** Tokens that the model's answer to it may have at most, whatever the server wants. */
export const samplingTokensMax = 4_096;
/** Longest such answer that is kept and given to the server, in bytes of UTF-8. */
export const samplingAnswerBytesMax = 64 * 1024;
/** Questions of tool servers that a run waits with at once; further ones are put before nobody, neither people nor models, and end after their time. */
export const inputsPendingMax = 32;
/** Questions that are over of which a run knows what became of them; of older ones only the log does. */
export const inputsSettledMax = 64;
/** What is said of what became of a question, in bytes of UTF-8. */
export const inputReasonBytesMax = 512;

/** What a person says to an approval, in bytes. */
export const saidBytesMax = 4 * 1024;

/** Characters of an e-mail address (RFC 5321, section 4.5.3.1.3). */
export const emailCharactersMax = 254;

/** Characters of the name of a user, or of an API key. */
export const personNameCharactersMax = 200;

/** Requests to approve one call after which its arguments are not changed any more: each change is kept for ever. */
export const requestsPerEditedCallMax = 20;
/** How long a link can decide, at most, in milliseconds: seven days. */
export const linkLastsMsMax = 7 * 24 * 3_600_000;
/** The tools, or the agents, that the prompt of an agent from git lists, in bytes of UTF-8. */
export const templateListBytesMax = 64 * 1024;
/** What an agent remembers: keys, characters of a key, and bytes of UTF-8 of one value as JSON and of all. More is refused. */
export const memoryKeysMax = 1_000;
export const memoryKeyCharactersMax = 200;
export const memoryValueBytesMax = 64 * 1024;
export const memoryBytesMax = 1024 * 1024;
/** The latest calls that saved something, each known again when it is repeated. */
export const memoryCallsKept = 256;
/** What the agents of a run share: keys, and bytes of UTF-8 of one value as JSON, of all keys and values, and of one answer about them. */
export const runDataKeysMax = 100;
export const runDataValueBytesMax = 60 * 1024;
export const runDataBytesMax = 1024 * 1024;
export const runDataAnswerBytesMax = 64 * 1024;
