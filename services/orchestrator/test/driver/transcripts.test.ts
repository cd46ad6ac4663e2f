import { type Fact, fact, type RecordedFact } from '@stopgo/core';
import type { ConversationLog } from '@stopgo/log';
import { expect, test } from 'vitest';
import { Transcripts, transcriptCharactersMax } from '../../src/driver/handle/transcripts.ts';

const argumentsJson = '{"key":"k"}';
const asks = fact('modelResponded', { runId: 'r', stepId: 'root', calls: [{ callId: 'c', tool: 't', argumentsJson }] });
const says = (text: string) => fact('userMessageReceived', { runId: 'r', text });

test('a call is found in what was read for it, also where another conversation has taken its place meanwhile', async () => {
  const gate = new AbortController();
  const events = { small: [says('hi'), asks], large: [says('x'.repeat(transcriptCharactersMax + 1))] };
  const log = {
    read: async function* (stream: string) {
      const isSmall = stream.endsWith('small');
      const recorded = (one: Fact, index: number) => ({ revision: index + 1, time: 0, fact: one }) as RecordedFact;
      for (const event of (isSmall ? events.small : events.large).map(recorded)) {
        yield event;
        if (isSmall && event.revision === 1 && !gate.signal.aborted)
          await new Promise((resolve) => gate.signal.addEventListener('abort', resolve, { once: true }));
      }
    },
  } as unknown as ConversationLog;
  const transcripts = new Transcripts(log);
  const { signal } = new AbortController();
  const found = transcripts.argumentsOf('small', 2, 'c', signal);
  await transcripts.upTo('large', 1, signal);
  gate.abort();
  expect(await found).toBe(argumentsJson);
});
