/** Every bound of the domain, with its unit. Reaching one is visible: an error result, a mark, an event. */

/** Longest text of a message or tool result that is kept, in bytes of UTF-8; what is longer is cut and marked. */
export const textBytesMax = 256 * 1024;
/** Longest message a user may send, in bytes of UTF-8. */
export const messageBytesMax = 64 * 1024;
/** Longest arguments of one call, in bytes of UTF-8; a call with more gets an error result. */
export const argumentsBytesMax = 64 * 1024;
/** Longest description of an approval, in bytes of UTF-8. */
export const descriptionBytesMax = 16 * 1024;
/** Largest append, in bytes of its payloads. */
export const appendBytesMax = 512 * 1024;
/** Most events in one append. */
export const appendEventsMax = 256;
/** Model calls of one step before it is ended, unless configured otherwise. */
export const turnsDefault = 10;
/** Calls in one model answer; an answer with more is a failure of the model. */
export const callsPerAnswerMax = 32;
/** Approvals requested for one call because its tool changed, before the call is given an error result. */
export const approvalsPerCallMax = 3;
/** Depth of an agent tree. */
export const treeDepthMax = 16;
/** Nodes of an agent tree. */
export const treeNodesMax = 256;
/** Characters of a conversation's title. */
export const titleCharactersMax = 200;
/** Characters of a failed call's result that a failure text repeats. */
export const failureExcerptCharactersMax = 4_000;
