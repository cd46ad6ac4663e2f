/** Runs that one orchestrator drives at a time, unless configured otherwise (limits.concurrent_runs). */
export const runsMaxDefault = 1_000;
/** How long a stopping orchestrator lets runs go on, in milliseconds. */
export const stopGraceMs = 10_000;
