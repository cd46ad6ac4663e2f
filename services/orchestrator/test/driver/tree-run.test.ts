import {
  type AgentDefinition,
  type AgentNode,
  appendBytesMax,
  appendEventsMax,
  createConversation,
  definedAs,
  encodeFact,
  evolve,
  type Fact,
  fact,
  initialState,
  type LlmNode,
  type OfferedTool,
  outputText,
  type RecordedFact,
  receiveMessage,
} from '@stopgo/core';
import { type Append, type AppendOutcome, type ConversationLog, recordedOf } from '@stopgo/log';
import { expect, test } from 'vitest';
import { Transcripts } from '../../src/driver/handle/transcripts.ts';
import { RunDriver } from '../../src/driver/run/run-driver.ts';
import type { ModelAnswer, ModelRequest } from '../../src/models/port.ts';
import { driverWith } from './one-driver.ts';

const llm = (name: string, prompt: string, more: Partial<LlmNode> = {}): LlmNode => ({
  type: 'llm',
  name,
  model: name,
  prompt,
  outputKey: name,
  canExitLoop: false,
  turnsMax: 5,
  approval: 'default',
  ...more,
});
const look: OfferedTool = {
  target: { kind: 'tool', server: 's' },
  name: 'look',
  description: '',
  inputSchemaJson: '{}',
  pin: 'p',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  approvalRequired: false,
  forwardsBearer: false,
};
const put: OfferedTool = { ...look, name: 'put', hints: { ...look.hints, readOnly: false, destructive: true } };
const looks = { name: 'look', providerCallId: '', argumentsJson: '{}' };
const says = (text: string, calls: ModelAnswer['calls'] = []): ModelAnswer => ({
  text,
  calls,
  provider: 'scripted',
  model: 'm',
  usage: { inputTokens: 1, outputTokens: 1 },
  stopReason: 'end',
});

/** What a log may do with an append before it takes it, or instead. */
type Before = (
  append: Append,
  seen: { readonly asked: readonly ModelRequest[]; readonly log: RecordedFact[] },
) => Promise<AppendOutcome | undefined>;

/** Drives one message through an agent whose models have their answers ready, in order. */
async function driven(
  root: AgentNode,
  answers: Readonly<Record<string, readonly ModelAnswer[]>>,
  before: Before = async () => undefined,
) {
  const agent: AgentDefinition = { name: 'agent', root };
  const log: RecordedFact[] = [];
  const most = { events: 0, bytes: 0 };
  const add = (append: Append) => {
    log.push(...recordedOf(append));
    most.events = Math.max(most.events, append.facts.length);
    most.bytes = Math.max(
      most.bytes,
      append.facts.reduce((sum, one) => sum + encodeFact(one).length, 0),
    );
  };
  const { ports } = driverWith({
    alive: ['bridge'],
    execute: async () => ({ kind: 'finished', content: 'three', isError: false, durationMs: 1 }),
  });
  const frame = {
    stream: 'conversation-c',
    actor: { kind: 'system', id: 'me' },
    correlationId: '',
    causationId: '',
    now: 0,
  } as const;
  const begin = (facts: readonly Fact[]) =>
    add({ ...frame, expectedRevision: log.length, facts, key: '', eventIds: facts.map(() => 'id') });
  begin(createConversation({ id: 'c', sessionId: '', agentName: 'agent', systemPrompt: '' }));
  const digests = { agentDigest: 'a', toolsetDigest: 't' };
  const tools = new Map([look, put].map((one) => [one.name, one]));
  const definitions = definedAs(digests, { agent, tools });
  const message = receiveMessage(log.reduce(evolve, initialState), {
    text: 'go',
    runId: 'r',
    agent: { ...digests, definitions },
    instance: 'me',
    bearerTokenPresent: false,
    now: 0,
  });
  if (message.kind !== 'append') throw new Error(message.kind);
  begin(message.facts);
  const asked: ModelRequest[] = [];
  const shown: { readonly turn: number; readonly attempt: number }[] = [];
  const inMemory: ConversationLog = {
    append: async (append) => {
      // Models answer faster than the log.
      await new Promise((done) => setImmediate(done));
      const instead = await before(append, { asked, log });
      if (instead !== undefined) return instead;
      add(append);
      return { kind: 'appended', revision: log.length };
    },
    read: async function* (_, from) {
      yield* log.slice(from - 1);
    },
    follow: async function* () {},
    load: () => Promise.reject(new Error('not loaded here')),
    openRuns: async () => [],
    watchedRuns: async () => [],
    view: () => Promise.reject(new Error('not viewed here')),
  };
  const forModel = (name: string) => ({
    takes: () => false,
    generate: async (request: ModelRequest, { onDelta }: { readonly onDelta?: (text: string) => void }) => {
      asked.push(request);
      onDelta?.('…');
      const answer = answers[name]?.[asked.filter((one) => one.model === name).length - 1];
      if (answer === undefined) throw new Error(`${name} was asked once too often`);
      return { kind: 'answer', answer } as const;
    },
  });
  const start = {
    state: log.reduce(evolve, initialState),
    definitions,
    me: message.me,
  };
  const listener = { changed: () => undefined, handedIn: () => undefined, faulted: () => undefined };
  const deltas = { ...ports.deltas, publish: (piece: (typeof shown)[number]) => void shown.push(piece) };
  const unasked: unknown[] = [];
  const onUnasked = (call: unknown) => void unasked.push(call);
  const all = { ...ports, log: inMemory, models: { forModel }, deltas, onUnasked };
  await new RunDriver(start, all, new Transcripts(inMemory), listener).drive();
  const { run } = log.reduce(evolve, initialState);
  const transcript = await new Transcripts(inMemory).upTo('c', log.length, new AbortController().signal);
  return {
    asked,
    unasked,
    shown,
    log,
    most,
    status: run?.status,
    response: outputText(run?.output ?? [], (at) => transcript.textAt(at)),
  };
}

test('each node of a tree is asked with its own model and its own resolved prompt, and is told nothing of the others', async () => {
  const { asked, response } = await driven(
    {
      type: 'sequential',
      name: 'pipe',
      children: [
        { type: 'parallel', name: 'both', onError: 'fail', children: [llm('left', 'L {nobody}'), llm('right', 'R')] },
        llm('last', 'See {left} and {right}. {left}!'),
      ],
    },
    { left: [says('', [looks]), says('One.')], right: [says('Two.')], last: [says('Done.')] },
  );
  expect(response).toBe('Done.');
  expect(asked.map((one) => [one.model, one.system, one.messages.map(({ role }) => role).join()]).sort()).toEqual([
    ['last', 'See One. and Two.. One.!', 'user'],
    ['left', 'L {nobody}', 'user'],
    ['left', 'L {nobody}', 'user,assistant,tool'],
    ['right', 'R', 'user'],
  ]);
});

/** Of an append: the cases of its facts. */
const casesOf = (append: Append) => append.facts.map((one) => one.case).join();

test('the model is asked while the result that it waits for is appended, and is told it', async () => {
  const roots = { only: [says('', [looks]), says('Three.')] };
  const { asked, response } = await driven(llm('only', 'x'), roots, async (append, seen) => {
    if (casesOf(append) !== 'toolCallFinished') return undefined;
    // As long as nobody asks the model, this append is not taken.
    while (seen.asked.length < 2) await new Promise((done) => setImmediate(done));
    return undefined;
  });
  expect(response).toBe('Three.');
  expect(asked.map(({ messages }) => messages.at(-1))).toMatchObject([
    { role: 'user' },
    { role: 'tool', results: [{ content: 'three' }] },
  ]);
});

test('what a model says ahead of an append that is not taken is dropped: it is asked anew', async () => {
  const answers = { only: [says('', [looks]), says('Too early.'), says('Three.')] };
  let conflicts = 0;
  const { asked, response, log, shown } = await driven(llm('only', 'x'), answers, async (append, { log, ...seen }) => {
    if (casesOf(append) !== 'toolCallFinished' || conflicts > 0) return undefined;
    while (seen.asked.length < 2) await new Promise((done) => setImmediate(done));
    conflicts += 1;
    // Somebody noted something that changes nothing for the run.
    const note = fact('toolCallFinished', { runId: 'r', stepId: 'r', callId: 'nobody', attempt: 1, late: true });
    const foreign = { ...append, facts: [note], eventIds: ['foreign'], key: 'foreign' };
    log.push(...recordedOf(foreign));
    return { kind: 'conflict', currentRevision: log.length, unseen: recordedOf(foreign) };
  });
  expect(conflicts).toBe(1);
  expect(response).toBe('Three.');
  expect(asked.length).toBe(3);
  // Whoever watches is told that what was shown so far is begun anew.
  const attempts = shown.filter((piece) => piece.turn === 2).map((piece) => piece.attempt);
  expect([attempts.length, (attempts[0] ?? 0) < (attempts[1] ?? 0)]).toEqual([2, true]);
  expect(log.filter((event) => event.fact.case === 'modelResponded').length).toBe(2);
});

test('however often others are faster, a model is asked ahead once, and that does not count as fruitless', async () => {
  const answers = { only: [says('', [looks]), ...Array.from({ length: 6 }, () => says('Three.'))] };
  let conflicts = 0;
  const { status, log, asked } = await driven(llm('only', 'x'), answers, async (append, { log }) => {
    if (casesOf(append) !== 'toolCallFinished' || conflicts === 5) return undefined;
    conflicts += 1;
    const note = fact('toolCallFinished', { runId: 'r', stepId: 'r', callId: 'nobody', attempt: 1, late: true });
    const key = `foreign-${conflicts}`;
    const foreign = { ...append, facts: [note], eventIds: [key], key };
    log.push(...recordedOf(foreign));
    // What the driver has to read itself takes it long enough for what was begun ahead to end.
    return { kind: 'conflict', currentRevision: log.length, unseen: [] };
  });
  expect([conflicts, status, asked.length]).toEqual([5, 'completed', 3]);
  expect(log.filter((event) => event.fact.case === 'modelResponded').length).toBe(2);
});

test('a node of a tree that has nothing to add after its calls comes to their result; an agent of one node has failed', async () => {
  const silent = { only: [says('', [looks]), says(''), says(' ')] };
  const tree = await driven({ type: 'sequential', name: 'pipe', children: [llm('only', 'x')] }, silent);
  expect([tree.status, tree.response]).toEqual(['completed', 'three']);
  // The models' adapters refuse silence of those who are not said to be free to say nothing.
  expect(tree.asked.map((one) => one.mayBeSilent)).toEqual([false, true]);
  const single = await driven(llm('only', 'x'), silent);
  expect([single.status, single.response]).toEqual(['failed', expect.stringMatching(/^LLM error: .*empty answer/)]);
  const mute = await driven(
    { type: 'loop', name: 'l', iterationsMax: 2, children: [llm('only', 'x')] },
    { only: [says(''), says('')] },
  );
  expect([mute.status, mute.response]).toEqual(['failed', 'Pipeline error: LLM error: the model gave an empty answer']);
});

test('a model that answers nothing is asked once more, with the same words, and both are on the record', async () => {
  const { status, response, asked, log } = await driven(llm('only', 'x'), { only: [says('\n'), says('Here.')] });
  expect([status, response]).toEqual(['completed', 'Here.']);
  expect(asked[1]).toEqual(asked[0]);
  expect(log.map((event) => event.fact.case)).toEqual(
    expect.arrayContaining(['modelAnsweredNothing', 'modelResponded', 'runCompleted']),
  );
});

test('an empty line before a call is not the answer of a node', async () => {
  const exits = says('\n\n', [{ name: 'exit_loop', providerCallId: '', argumentsJson: '{}' }]);
  const children = [llm('writer', 'x'), llm('judge', 'x', { canExitLoop: true, outputKey: '' })];
  const loop: AgentNode = { type: 'loop', name: 'l', iterationsMax: 3, children };
  const { status, response } = await driven(loop, { writer: [says('A poem.')], judge: [exits] });
  expect([status, response]).toEqual(['completed', 'A poem.']);
});

test('branches that ask for much at the same time are all heard, in several appends', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
  const children = names.map((name) => llm(name, 'x'));
  // Inside a loop each such call leaves an approval, and its decision, with the answer.
  const much = says(
    '',
    Array.from({ length: 30 }, () => ({ ...looks, name: 'put' })),
  );
  const answers = Object.fromEntries(names.map((name) => [name, [much, says(name)]]));
  const { asked, response, most } = await driven(
    {
      type: 'loop',
      name: 'l',
      iterationsMax: 1,
      children: [{ type: 'parallel', name: 'wide', onError: 'fail', children }],
    },
    answers,
  );
  expect([asked.length, response]).toEqual([40, names.join('\n')]);
  expect(most.events).toBeLessThanOrEqual(appendEventsMax);
  expect(most.bytes).toBeLessThanOrEqual(appendBytesMax);
});

test('a tree too wide for two appends asks each of its models once, and none before its step is on the record', async () => {
  const first = Array.from({ length: 200 }, (_, index) => `a${index}`);
  const second = Array.from({ length: 53 }, (_, index) => `b${index}`);
  const wide = (name: string, children: readonly AgentNode[]): AgentNode => ({
    type: 'parallel',
    name,
    onError: 'fail',
    children,
    outputKey: 'all',
  });
  const ones = first.map((name) => llm(name, 'x'));
  // What the prompts stand for takes more than an append leaves room for, three times over.
  const prompt = `{all} ${first.map((name) => `{${name}}`).join(' ')}`;
  const others = second.map((name) => llm(name, prompt));
  const root: AgentNode = { type: 'sequential', name: 'pipe', children: [wide('one', ones), wide('two', others)] };
  const answers = Object.fromEntries([...first, ...second].map((name) => [name, [says(name)]]));
  const { asked, response } = await driven(root, answers);
  expect(asked.map((one) => one.model).toSorted()).toEqual([...first, ...second].toSorted());
  expect(new Set(asked.slice(200).map((one) => one.system))).toEqual(
    new Set([`${first.join('\n')} ${first.join(' ')}`]),
  );
  expect(response).toBe(second.join('\n'));
});

test('a destructive call that nobody is asked about, for its place in the tree, is told; others are not', async () => {
  const call = (name: string) => ({ name, providerCallId: '', argumentsJson: '{}' });
  const one = llm('one', 'put');
  const root: AgentNode = { type: 'parallel', name: 'both', children: [one], onError: 'fail' };
  const inParallel = await driven(root, { one: [says('', [call('put'), call('look')]), says('done')] });
  expect(inParallel.unasked).toEqual([
    { conversation: 'c', step: 'root/0', call: expect.stringContaining('root/0#1'), tool: 'put', server: 's' },
  ]);
  const alone = await driven(one, { one: [says('', [call('look')]), says('done')] });
  expect(alone.unasked).toEqual([]);
});
