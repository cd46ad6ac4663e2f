/** Every bound of an agent, with its unit. */

/** Levels of nesting of a request body; deeper ones are refused before anything walks them recursively. */
export const BODY_DEPTH_MAX = 64;
/** Revisions are unsigned 32-bit numbers; the one after the last seen must be one too. */
export const REVISION_MAX = 0xffff_fffe;
/** How long the last answers may take to leave once running requests are given up, in milliseconds. */
export const STOP_FAREWELL_MS = 500;
/** How long a card may be believed without asking again, in seconds. */
export const CARD_MAX_AGE_S = 60;
