/** How long an agent may take. */
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import type { facts } from '@stopgo/proto';
import type { PlatformAgent } from '../agent/platform-agent.ts';

/** The end of an agent's time, with all that it calls. */
export type TimeLimit = {
  /** Milliseconds since 1970. */
  readonly endsAt: number;
  /** How long that is from its beginning, in milliseconds. */
  readonly lastsMs: number;
};

/** The limit of an agent that begins now; undefined if it has none. `now`: milliseconds since 1970. */
export function timeLimitOf(platform: PlatformAgent | undefined, now: number): TimeLimit | undefined {
  const minutes = platform?.executionMinutesMax;
  if (minutes === undefined) return undefined;
  const lastsMs = Math.round(minutes * 60_000);
  return { endsAt: now + lastsMs, lastsMs };
}

/** As it is recorded. */
export function timeLimitToWire({ endsAt, lastsMs }: TimeLimit) {
  return { endsAt: timestampFromMs(endsAt), lastsMs };
}

/** As the state holds it: nothing where there is none, so that the states of such agents are what they were. */
export function withTimeLimit(recorded: facts.TimeLimit | undefined): { readonly timeLimit?: TimeLimit } {
  if (recorded?.endsAt === undefined) return {};
  return { timeLimit: { endsAt: timestampMs(recorded.endsAt), lastsMs: recorded.lastsMs } };
}
