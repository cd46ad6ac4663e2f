/** How often what changes by itself is asked for while somebody looks, in milliseconds. */
export const oftenMs = 4_000;
