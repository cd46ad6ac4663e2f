/** Every bound of a server of ours, with its unit. */

/** Levels of nesting of a request body; deeper ones are refused before anything walks them recursively. */
export const bodyDepthMax = 64;
/**
 * Values in the JSON of a request body, counted before it is parsed: so many are read in some tens of milliseconds, while a few megabytes
 * of `[1,1,…` held everybody else up for seconds.
 */
export const bodyValuesMax = 100_000;
/** How long the last answers may take to leave once running requests are given up, in milliseconds. */
export const stopFarewellMs = 500;
