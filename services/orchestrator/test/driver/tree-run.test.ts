import { type AgentNode, appendBytesMax, appendEventsMax, fact } from '@stopgo/core';
import { type Append, recordedOf } from '@stopgo/log';
import { expect, test } from 'vitest';

import { driven, finishes, llm, looks, says } from './scripted-run.ts';

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

test('a paused run is let go while the call of a step that was ended is still out', { timeout: 10_000 }, async () => {
  let answer = (): void => undefined;
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const others = [
    fact('stepCanceled', { runId: 'r', stepId: 'root/0', text: 'Ended.' }),
    fact('runPaused', { runId: 'r', by: 'ada' }),
  ];
  let isPaused = false;
  const { log } = await driven(
    { type: 'parallel', name: 'both', onError: 'continue', children: [llm('left', 'L'), llm('right', 'R')] },
    { left: [says('', [{ ...looks, name: 'put' }])], right: [says('', [looks]), says('Right.')] },
    async (append, { log, asked }) => {
      if (casesOf(append).endsWith('runReleased')) answer();
      if (isPaused || asked.length < 3 || !casesOf(append).startsWith('modelResponded')) return undefined;
      isPaused = true;
      const foreign = recordedOf({ ...append, facts: others, eventIds: ['one', 'two'], key: 'foreign' });
      log.push(...foreign);
      return { kind: 'conflict', currentRevision: log.length, unseen: foreign };
    },
    {
      execute: async (request) => {
        if (request.tool === 'put') await isAnswered;
        return finishes(request);
      },
    },
  );
  const cases = log.map((event) => event.fact.case);
  expect(cases.slice(cases.indexOf('stepCanceled'))).toEqual([
    ...['stepCanceled', 'runPaused', 'modelResponded', 'runReleased', 'toolCallFinished'],
  ]);
});
