/** Largest message accepted from a client, in bytes, on either transport. */
export const MESSAGE_BYTES_MAX = 4_194_304;
/** Calls that run at the same time; a further one is told to come back. */
export const CALLS_MAX = 100;

/** Longest path of a caller, in bytes. */
export const PATH_BYTES_MAX = 4_096;
/** Links that one path may lead through; what the kernel allows too. */
export const LINKS_MAX = 40;
/** Folders inside of folders that are gone into at most. Each holds a file descriptor while it is. */
export const DEPTH_MAX = 200;

/** Largest file that is read whole unless the settings say otherwise, in bytes. */
export const FULL_READ_BYTES = 1_048_576;
/** Largest value of `max_full_read_size`, in bytes: an answer is one message. */
export const FULL_READ_BYTES_MAX = 8_388_608;
/** Most content in the answer to a read of a part, in bytes of the file (in characters when read by lines). */
export const PARTIAL_READ_MAX = 1_048_576;
/** How much of a file is held in memory while it is read through, in bytes. */
export const CHUNK_BYTES = 65_536;
/** A NUL among so many first bytes makes a file binary. */
export const BINARY_PROBE_BYTES = 8_192;
/** Longest part of a line that is looked at, in UTF-16 code units. */
export const LINE_LENGTH_MAX = 1_048_576;
/** Largest file that a patch is applied to, in bytes. */
export const PATCHED_BYTES_MAX = 16_777_216;
/** Time of hashing one file in seconds: without a wish, and at most. */
export const HASH_SECONDS_MAX = 300;

/** Entries in the answer to a listing. */
export const LISTED_ENTRIES_MAX = 10_000;
/** Files and folders that one copy makes at most. */
export const COPIED_ENTRIES_MAX = 100_000;
/** Bytes that one copy writes at most. */
export const COPIED_BYTES_MAX = 10_737_418_240;

/** Matches of a search: without a wish, and at most. */
export const RESULTS = 100;
export const RESULTS_MAX = 10_000;
/** Time of a search in seconds: without a wish, and at most. */
export const SEARCH_SECONDS_MAX = 300;
/** Lines of context on either side of a match. */
export const CONTEXT_LINES_MAX = 100;
/** Longest line in an answer, in UTF-16 code units; a longer one is cut. */
export const SHOWN_LINE_LENGTH_MAX = 4_000;
/** Text in the answer to a search, in UTF-16 code units; a search that has more ends early. */
export const SEARCH_ANSWER_LENGTH_MAX = 2_097_152;
/**
 * Work of testing one line: RE2 instructions of the pattern times length of the line, about a nanosecond each. Nothing
 * else runs meanwhile, so of a longer line only the beginning is tested.
 */
export const LINE_TEST_STEPS_MAX = 50_000_000;
