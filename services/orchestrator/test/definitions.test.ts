import type { Clock, ConversationLog } from '@stopgo/log';
import { expect, test } from 'vitest';
import { RecordedDefinitions } from '../src/definitions.ts';

/** A log that has nothing. */
async function* nothing(): AsyncGenerator<never, void> {
  yield* [];
}

test.each([
  ['agent', 'agent-d1'],
  ['toolset', 'toolset-d1'],
] as const)(
  'the %s that a run was started with and the log does not have is named, with what to do',
  async (kind, stream) => {
    const log = { read: nothing } as unknown as ConversationLog;
    const clock = { now: () => 0 } as unknown as Clock;
    const definitions = new RecordedDefinitions({ instance: 'o', log, clock, newId: () => 'id', random: () => 0 });
    await expect(definitions[kind]('d1')).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(
        new RegExp(
          `^the log does not show ${stream}, a definition .*: the run goes on once the log shows it; .* run .stopgo verify.: .* backup$`,
        ),
      ),
    });
  },
);
