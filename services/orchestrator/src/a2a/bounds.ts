/** Longest wait for one agent card, in milliseconds. */
export const cardTimeoutMs = 5_000;
/** How long a card is believed, in milliseconds. */
export const cardTtlMs = 300_000;
/** Cards kept in memory. */
export const cardsKeptMax = 256;
/** Interfaces of a card that are looked at. */
export const interfacesMax = 64;
/** The most of what an agent's card says of it that models are told, in bytes of UTF-8, and in skills. */
export const aboutBytesMax = 2_048;
export const skillsToldMax = 16;
/** How often cards are asked what agents without a description are good for, in milliseconds. */
export const aboutPauseMs = 60_000;
/** Longest wait for the answer to a message, in milliseconds: an agent that does not stream may work for as long. */
export const sendTimeoutMs = 300_000;
/** Longest silence of a stream, in milliseconds; then the task is asked about instead. */
export const streamIdleMs = 60_000;
/** Longest wait for the answer to a question about a task, or to a cancel, in milliseconds. */
export const askTimeoutMs = 10_000;
/** First and longest pause between questions about a task that goes on, in milliseconds. */
export const pollPauseMs = 250;
export const pollPauseMostMs = 15_000;
/** How long a task that goes on is asked about without an answer, in milliseconds. */
export const pollPatienceMs = 60_000;
/** Longest pause before the tasks of a context are listed again: a message may be on its way still. In milliseconds. */
export const listPauseMostMs = 2_000;
/** The shortest token that is looked for in what an agent says, in characters: shorter ones are parts of words. */
export const hiddenTokenCharactersMin = 8;
/** Conversations whose tokens are remembered, and tokens of each: those that were sent last. */
export const tokensKeptMax = 4_096;
export const tokensPerConversationMax = 4;
/** Largest answer of an agent, or stream of answers, in bytes. */
export const answerBytesMax = 16 * 1024 * 1024;
/** Artifacts, and parts of all of them, that a stream is put together from; the task of one with more is asked about instead. */
export const artifactsMax = 10_000;
export const partsMax = 100_000;
/** Longest event of a stream over HTTP+JSON, in characters. */
export const eventCharactersMax = 4 * 1024 * 1024;
/** The most that is read of an answer with an error status, in bytes. */
export const errorBytesMax = 64 * 1024;
/** The longest words of an agent that an error repeats, in characters. Longer ones are not told, not even in part. */
export const quotedCharactersMax = 64 * 1024;
/** The longest id of a task that is taken, in bytes of UTF-8. */
export const taskIdBytesMax = 256;
/** Tasks of one context that are looked at: more than one is more than was asked for. */
export const contextTasksMax = 10;
/** Failures in a row after which an agent is left alone. */
export const failuresMax = 5;
/** How long it is left alone, in milliseconds. */
export const leftAloneMs = 30_000;
/** Agents whose failures are counted. */
export const countedMax = 1_024;
