/** Largest message accepted from a client, in bytes, on either transport. */
export const messageBytesMax = 4_194_304;
/** Calls that run at the same time; a further one is told to come back. */
export const callsMax = 100;

/** Longest path of a caller, in bytes. */
export const pathBytesMax = 4_096;
/** Links that one path may lead through; what the kernel allows too. */
export const linksMax = 40;
/** Folders inside of folders that are gone into at most. Each holds a file descriptor while it is. */
export const depthMax = 200;

/** Largest file that is read whole unless the settings say otherwise, in bytes. */
export const fullReadBytes = 1_048_576;
/** Largest value of `max_full_read_size`, in bytes: an answer is one message. */
export const fullReadBytesMax = 8_388_608;
/** Most content in the answer to a read of a part, in bytes of the file (in characters when read by lines). */
export const partialReadMax = 1_048_576;
/** How much of a file is held in memory while it is read through, in bytes. */
export const chunkBytes = 65_536;
/** A NUL among so many first bytes makes a file binary. */
export const binaryProbeBytes = 8_192;
/** Longest part of a line that is looked at, in UTF-16 code units. */
export const lineLengthMax = 1_048_576;
/** Largest file that a patch is applied to, in bytes. */
export const patchedBytesMax = 16_777_216;
/** Time of hashing one file in seconds: without a wish, and at most. */
export const hashSecondsMax = 300;

/** Entries in the answer to a listing. */
export const listedEntriesMax = 10_000;
/** Files and folders that one copy makes at most. */
export const copiedEntriesMax = 100_000;
/** Bytes that one copy writes at most. */
export const copiedBytesMax = 10_737_418_240;

/** Matches of a search: without a wish, and at most. */
export const results = 100;
export const resultsMax = 10_000;
/** Time of a search in seconds: without a wish, and at most. */
export const searchSecondsMax = 300;
/** Lines of context on either side of a match. */
export const contextLinesMax = 100;
/** Longest line in an answer, in UTF-16 code units; a longer one is cut. */
export const shownLineLengthMax = 4_000;
/** Text in the answer to a search, in UTF-16 code units; a search that has more ends early. */
export const searchAnswerLengthMax = 2_097_152;
/**
 * Work of testing one line: RE2 instructions of the pattern times length of the line, about a nanosecond each. Nothing
 * else runs meanwhile, so of a longer line only the beginning is tested.
 */
export const lineTestStepsMax = 50_000_000;
