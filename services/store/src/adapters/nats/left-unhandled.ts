import { TimeoutError } from '@nats-io/nats-core';

/**
 * True for what the client of NATS may leave unhandled: a time-out of its own that was over while the process stood still.
 * Nothing waits for it: each question of ours has its own handler, and the feed and the connection are watched.
 */
export const isLeftUnhandledByNats = (error: unknown): boolean => error instanceof TimeoutError;
