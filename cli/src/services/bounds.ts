/** How long a service process may take to stop, in milliseconds: calls finish first, then runs, then tools. */
export const serviceStopMs = 30_000;

/** How long a service that stops lets calls finish, in milliseconds. */
export const callsGraceMs = 10_000;

/** How often a service looks again for one that it waits for, in milliseconds. */
export const dependencyRetryMs = 500;

/** How often a service that waits for another says so again, in milliseconds. */
export const waitingLogMs = 5_000;
