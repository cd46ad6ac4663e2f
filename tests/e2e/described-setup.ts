// Every answer of a gateway that a test fetches is held against the API's own description.
import { afterEach, expect } from 'vitest';
import { type Answered, problemsOf, problemsOfEvent } from './described.ts';

type Kept = { fetched?: typeof fetch };
const kept = globalThis as Kept;
kept.fetched ??= globalThis.fetch;
const fetched = kept.fetched;

const looking = new Set<Promise<void>>();
const problems = new Set<string>();

globalThis.fetch = async (input, init) => {
  const answer = await fetched(input, init);
  // Only gateways name a session.
  if (answer.headers.has('x-session-id') && answer.body !== null) look(input, init, answer);
  return answer;
};

afterEach(async () => {
  await Promise.all(looking);
  const found = [...problems];
  problems.clear();
  expect(found, 'answers that the description of the API does not allow').toEqual([]);
});

function look(input: Parameters<typeof fetch>[0], init: RequestInit | undefined, answer: Response): void {
  const request = input instanceof Request ? input : undefined;
  const answered: Answered = {
    method: (init?.method ?? request?.method ?? 'GET').toUpperCase(),
    path: new URL(answer.url).pathname,
    status: answer.status,
    contentType: answer.headers.get('content-type') ?? '',
  };
  const isStream = answered.contentType.startsWith('text/event-stream');
  if (!isStream && !answered.contentType.startsWith('application/json')) return;
  const copy = answer.clone();
  const work = isStream ? lookAtEvents(answered, copy) : lookAtJson(answered, copy);
  // What breaks off is looked at by its test.
  const looked: Promise<void> = work.catch(() => undefined).finally(() => looking.delete(looked));
  // A stream ends when its test closes it, if it does.
  if (!isStream) looking.add(looked);
}

async function lookAtJson(answered: Answered, copy: Response): Promise<void> {
  for (const one of problemsOf(answered, await copy.text())) problems.add(one);
}

async function lookAtEvents(answered: Answered, copy: Response): Promise<void> {
  if (copy.body === null) return;
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of copy.body) {
    const blocks = (text + decoder.decode(chunk, { stream: true })).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      const name = /^event: (.*)$/m.exec(block)?.[1] ?? '';
      if (data !== undefined) for (const one of problemsOfEvent(answered, name, data)) problems.add(one);
    }
  }
}
