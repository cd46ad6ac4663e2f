/** How long a service process may take to stop, in milliseconds: calls finish first, then runs, then tools. */
export const serviceStopMs = 30_000;

/** How long a service that stops lets calls finish, in milliseconds. */
export const callsGraceMs = 10_000;

/** How often a service looks again for one that it waits for, in milliseconds. */
export const dependencyRetryMs = 500;

/** Longest wait for another service to answer whether it takes this one's token, in milliseconds. */
export const tokenAnswerMs = 5_000;

/** How often a service that waits for another says so again, in milliseconds. */
export const waitingLogMs = 5_000;

/** How long the launcher waits for a process that it asked to stop before it ends it, in milliseconds. */
export const childStopMs = serviceStopMs + 5_000;

/** How long the launcher may take to stop everything, one kind of service after the other, in milliseconds. */
export const launcherStopMs = 120_000;

/** First and longest pause before a process that ended is started again, in milliseconds; it doubles from time to time. */
export const restartMsMin = 200;
export const restartMsMax = 10_000;

/** A process that ran for so long ended for a new reason: pauses begin at the shortest again, in milliseconds. */
export const restartResetMs = 30_000;

/** Most processes of one service that a launcher starts. */
export const replicasMax = 32;

/** Longest line of a child that is passed on in one piece, in characters. */
export const lineCharactersMax = 1024 * 1024;

/** How long processes of a launcher that was killed may go on stopping before the next one ends them, in milliseconds. */
export const leftoversMs = 5_000;

/** How often something that has no event of its own is looked at, in milliseconds. */
export const pollMs = 50;

/** How long nats-server is given to answer after its start, in milliseconds: it reads the log before. */
export const natsReadyMs = 60_000;
