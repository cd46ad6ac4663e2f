/** Limits of what agents may use, for those who take them from people and show them. */
export { type LimitUse, limitMost, limitNames, mostOf } from '../text/limit-words.ts';
export { limitUsesFromWire, type NewLimit, newLimitsFromWire, newLimitToWire } from './given-limits.ts';
