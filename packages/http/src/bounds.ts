/** Every bound of a server of ours, with its unit. */

/** Levels of nesting of a request body; deeper ones are refused before anything walks them recursively. */
export const BODY_DEPTH_MAX = 64;
/** How long the last answers may take to leave once running requests are given up, in milliseconds. */
export const STOP_FAREWELL_MS = 500;
