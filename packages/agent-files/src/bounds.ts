import { limitMost } from '@stopgo/core/limits';

/** Largest file that is read, in bytes of UTF-8. */
export const fileBytesMax = 256 * 1024;
/** Largest frontmatter, in bytes of UTF-8. */
export const frontmatterBytesMax = 64 * 1024;
/** What is recorded of one agent, as JSON, in bytes of UTF-8: one append holds it, and little more. */
export const recordedBytesMax = 448 * 1024;
/** Longest path of a file, in characters, and longest name of an agent. */
export const pathCharactersMax = 1_024;
export const nameCharactersMax = 256;
/** Longest part of a name, between slashes, in characters, and how many parts a name has. */
export const partCharactersMax = 128;
export const partsMax = 16;
/** Longest description, and longest example of a task, in characters: both are told to models again and again. */
export const descriptionCharactersMax = 4_096;
export const exampleCharactersMax = 1_024;
export const versionCharactersMax = 64;
/** Entries of one list. */
export const entriesMax = 256;

/** Providers that one agent names: as many models as a node of a configuration may. */
export const providersMax = 8;
/** Minutes that an agent may work: 30 days. */
export const executionMinutesMax = 43_200;
export const turnsMax = 100;
export const agentCallsMax = limitMost.agent_calls;
export const tokensMax = limitMost.tokens;
/** US dollars. */
export const dollarsMax = limitMost.cost / 1_000_000_000;
/** Problems that are told of one file, and as many warnings; what is wrong besides is counted only. */
export const problemsMax = 100;
