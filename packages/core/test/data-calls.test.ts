import type { FactOf, Output, RequestedCall, RunCommand } from '@stopgo/core';
import { encodeSnapshot } from '@stopgo/core';
import { dataRequestOf, toldState, valuesNeeded, writtenValueOf } from '@stopgo/core/shared-data';
import { facts } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { describeCall } from '../src/calls/description.ts';
import type { Policy } from '../src/policy/policy.ts';
import type { ConversationState } from '../src/state/state.ts';
import { runDataBytesMax, runDataKeysMax, runDataValueBytesMax } from '../src/text/bounds.ts';
import { answered, asked, callsAgent, completes, drives, drove, platformAgent, works } from './agents.ts';
import { rule } from './rules.ts';
import { dawn, given, type Happening } from './specification.ts';
import { call, opened } from './story.ts';

const shares = { tools: ['run_data_*'] };
const first = platformAgent('support/tier1', { allowedAgents: ['support/*'] }, shares);
const second = platformAgent('support/billing', {}, shares);
const how = { more: [first, second] };
const begun = [opened, asked('Refund it.', { agent: first })] as const;
const child = 'root#1.0/root';

const writes = (key: string, value: unknown): RequestedCall => call('run_data_write', { key, value });
const reads = (key: string): RequestedCall => call('run_data_read', { key });
const calls = (some: readonly RequestedCall[], step = 'root') => answered({ step, calls: [...some] }, how);

/** What the record of a story says that a call has as its arguments. */
const argumentsIn = (
  log: readonly { readonly fact: { readonly case: string; readonly value: unknown } }[],
  id: string,
) =>
  log
    .flatMap(({ fact }) => (fact.case === 'modelResponded' ? (fact.value as FactOf<'modelResponded'>).calls : []))
    .find(({ callId }) => callId === id);

/** A driver has read what a call needs, and puts down what it comes to; `as`: the state in which it read. */
function uses(story: ReturnType<typeof given>, callId: string, as: ConversationState = story.state): RunCommand {
  const asking = argumentsIn(story.log, callId);
  const request = dataRequestOf(asking?.tool ?? '', asking?.argumentsJson ?? '');
  const needed = valuesNeeded(as.run?.data ?? [], request);
  const values = needed.map(
    (one) => [one.writtenAt, writtenValueOf(argumentsIn(story.log, one.callId)?.argumentsJson ?? '') ?? ''] as const,
  );
  return { type: 'useData', callId, attempt: 1, request, values: new Map(values), durationMs: 0 };
}

/** A story that goes on: each call is used as soon as it is asked for. */
class Story {
  happened: Happening[] = [...begun];

  get told() {
    return given(...this.happened);
  }

  asks(some: readonly RequestedCall[], step = 'root'): this {
    this.happened.push(calls(some, step));
    return this;
  }

  /** These calls are used together, as they stand; the results that they have. */
  uses(...ids: readonly string[]) {
    const before = this.told;
    this.happened.push(
      drove(
        ids.map((id) => uses(before, id)),
        how,
      ),
    );
    return this.told.log
      .slice(before.log.length)
      .flatMap(({ fact }) => (fact.case === 'toolCallFinished' ? [[fact.value.content, fact.value.isError]] : []));
  }
}

const state = (story: Story) => story.told.state;

test('what an agent writes, another one of the run reads', () => {
  const story = new Story().asks([writes('order', { id: 4711 }), callsAgent('support/billing')]);
  expect(story.uses('root#1.0')).toEqual([['Written.', false]]);
  story.happened.push(drove([works('root#1.1', 'support/billing')], how));
  story.asks([reads('order'), reads('name')], 'root#1.1/root');
  expect(story.uses('root#1.1/root#1.0', 'root#1.1/root#1.1')).toEqual([
    ['{"id":4711}', false],
    ['Nothing is shared under name; there is order.', true],
  ]);
});

test('a value is written by the append that says so, and who wrote it stands there', () => {
  const story = new Story().asks([writes('order', 4711)]);
  const { log } = story.told;
  given(...story.happened)
    .when(drives([uses(story.told, 'root#1.0')], how))
    .thenFacts(
      [
        'runDataWritten',
        { callId: 'root#1.0', callRevision: log.length, agent: 'support/tier1', key: 'order', bytes: 9 },
      ],
      ['toolCallFinished', { callId: 'root#1.0', content: 'Written.' }],
    )
    .thenOwes({ kind: 'model', stepId: 'root', turn: 2 });
});

test('a read that something was written before is read again', () => {
  const story = new Story().asks([writes('a', 1)]);
  story.uses('root#1.0');
  story.asks([reads('a'), writes('a', 2)]);
  const { state: asRead } = story.told;
  story.uses('root#2.1');
  given(...story.happened)
    .when(drives([uses(story.told, 'root#2.0', asRead)], how))
    .thenFacts()
    .thenOwes({ kind: 'data', id: 'root#2.0' });
  expect(story.uses('root#2.0')).toEqual([['2', false]]);
});

test('of two writes side by side the later one on the record stands', () => {
  const story = new Story().asks([callsAgent('support/billing'), callsAgent('support/billing')]);
  story.happened.push(drove([works('root#1.0', 'support/billing'), works('root#1.1', 'support/billing')], how));
  story.asks([writes('a', 'first')], child).asks([writes('a', 'second')], 'root#1.1/root');
  // In one append: the order is that of its events.
  story.uses('root#1.1/root#1.0', `${child}#1.0`);
  expect(state(story).run?.data).toMatchObject([{ key: 'a', callId: `${child}#1.0` }]);
});

test('what is deleted is there no more, and nothing else is', () => {
  const story = new Story().asks([writes('a', 1), writes('b', 2)]);
  story.uses('root#1.0', 'root#1.1');
  story.asks([call('run_data_delete', { key: 'a' }), reads('a')]);
  expect(story.uses('root#2.0')).toEqual([['Deleted.', false]]);
  expect(story.uses('root#2.1')).toEqual([['Nothing is shared under a; there is b.', true]]);
  story.asks([call('run_data_delete', { key: 'a' }), call('run_data_delete', { key: 'b' })]);
  expect(story.uses('root#3.0', 'root#3.1')).toEqual([
    ['Nothing is shared under a; there is b.', true],
    ['Deleted.', false],
  ]);
  expect(state(story).run).not.toHaveProperty('data');
});

test('keys are listed and values are found by words, in the order of the keys', () => {
  const story = new Story().asks([
    writes('order/2', 'Ada, Paris'),
    writes('order/1', { city: 'Paris' }),
    writes('x', 1),
  ]);
  story.uses('root#1.0', 'root#1.1', 'root#1.2');
  story.asks([
    call('run_data_list', { prefix: 'order/' }),
    call('run_data_query', { text: 'paris ORDER' }),
    call('run_data_query', { text: 'paris', limit: 1 }),
    call('run_data_query', { text: 'paris', prefix: 'x' }),
    call('run_data_query', {}),
  ]);
  const found = [0, 1, 2, 3, 4].map((n) => JSON.parse(String(story.uses(`root#2.${n}`)[0]?.[0])) as unknown);
  const [one, two] = [
    { key: 'order/1', value: { city: 'Paris' } },
    { key: 'order/2', value: 'Ada, Paris' },
  ];
  expect(found).toEqual([
    {
      found: [
        { key: 'order/1', bytes: 23 },
        { key: 'order/2', bytes: 19 },
      ],
    },
    { found: [one, two] },
    { found: [one], left_out: 1 },
    { found: [] },
    { found: [one, two, { key: 'x', value: 1 }] },
  ]);
});

test('people are shown all that a call says, also what the tool has no use for', () => {
  const argumentsJson = JSON.stringify({ key: 'k', value: 1, note: { to: 'all' }, 'a\n**b**': 'c' });
  const shown = describeCall('run_data_write', argumentsJson, { kind: 'data', agent: 'support/tier1' });
  expect(shown).toContain('key: k\nnote: "{\\"to\\":\\"all\\"}"');
  expect(shown).not.toContain('\n**b**');
});

describe('what a run shares is bounded', () => {
  /** The run as if so many values of so many bytes had been written. */
  const filled = (from: ConversationState, count: number, bytes: number): ConversationState => ({
    ...from,
    run: from.run && {
      ...from.run,
      data: Array.from({ length: count }, (_, n) => ({
        ...{ key: `key ${n}`.padEnd(200, '.'), writtenAt: n + 1, callId: 'root#1.0', callRevision: 4, bytes },
      })),
    },
  });
  const refusedIn = (count: number, bytes: number, key: string, value: unknown) => {
    const story = new Story().asks([writes(key, value)]);
    const decision = drives([uses(story.told, 'root#1.0')], how)(filled(state(story), count, bytes));
    const all = decision.kind === 'append' ? decision.facts : [];
    return all.flatMap((one) => (one.case === 'toolCallFinished' ? [one.value.content] : []))[0];
  };

  test('in keys: what is there already may be written over', () => {
    const [full, known] = [runDataKeysMax, 'key 0'.padEnd(200, '.')];
    expect(refusedIn(full, 1, 'new', 1)).toMatch(/^Nothing was written: this run has 100 keys already.*delete one/);
    expect(refusedIn(full, 1, known, 1)).toBe('Written.');
    expect(refusedIn(full - 1, 1, 'new', 1)).toBe('Written.');
  });

  test('in bytes of keys and values', () => {
    const left = runDataBytesMax - 'new'.length - '1'.length;
    expect(refusedIn(1, left, 'new', 1)).toBe('Written.');
    expect(refusedIn(1, left + 1, 'new', 1)).toMatch(/^Nothing was written: .* at most 1048576 bytes/);
  });

  test('in bytes of one value, before anybody is asked', () => {
    const text = 'x'.repeat(runDataValueBytesMax - 2);
    const { log } = new Story().asks([writes('a', text), writes('a', `${text}x`)]).told;
    const [fits, over] = [argumentsIn(log, 'root#1.0'), argumentsIn(log, 'root#1.1')];
    expect([fits?.error, over?.error]).toEqual(['', expect.stringMatching(/at most 61440 bytes.*; nothing was done/)]);
  });

  test('and so is the state, which holds no value', () => {
    const story = new Story();
    const { length: empty } = encodeSnapshot(state(story));
    const { length: full } = encodeSnapshot(filled(state(story), runDataKeysMax, 10_000));
    expect(full - empty).toBeLessThan(32 * 1024);
    story.asks([writes('a', 'x'.repeat(20_000))]);
    story.uses('root#1.0');
    expect(encodeSnapshot(state(story)).length - empty).toBeLessThan(1_500);
  });
});

test('it is gone with the run', () => {
  const story = new Story().asks([writes('a', 1)]);
  story.uses('root#1.0');
  story.asks([completes('Done.')]);
  const { run } = state(story);
  expect([run?.status, run && 'data' in run]).toEqual(['completed', false]);
});

test('only agents whose files name the tools have them', () => {
  const offered = (tools: readonly string[] | undefined) => {
    const agent = platformAgent('support/tier1', {}, tools === undefined ? {} : { tools });
    const some = ['write', 'read', 'query', 'list', 'delete'].map((name) =>
      call(`run_data_${name}`, { key: 'a', value: 1 }),
    );
    const { log } = given(opened, asked('go', { agent }), answered({ calls: some }, { more: [agent] }));
    const [answer] = log.flatMap(({ fact }) => (fact.case === 'modelResponded' ? [fact.value] : []));
    return answer?.calls.flatMap(({ tool, sharedBy }) => (sharedBy === agent.name ? [tool.slice(9)] : []));
  };
  expect(offered(undefined)).toEqual([]);
  expect(offered(['*'])).toEqual([]);
  expect(offered(['get_*', 'run_data_read', 'run_data_list'])).toEqual(['read', 'list']);
  expect(offered(['run_data_*', '!run_data_delete'])).toEqual(['write', 'read', 'query', 'list']);
});

test('a rule may ask about it, and a yes for one agent is none for another', () => {
  const policy: Policy = { rules: [rule('asks', 'ask', { tool: 'run_data_write' })] };
  const happened = [
    opened,
    asked('go', { agent: first, policy }),
    answered({ calls: [writes('a', { pin: 1 })] }, { ...how, policy }),
  ];
  const { log, state: waits } = given(...happened);
  const [approval] = log.flatMap(({ fact }) => (fact.case === 'approvalRequested' ? [fact.value] : []));
  expect(approval).toMatchObject({ kind: facts.ApprovalKind.TOOL, tool: 'run_data_write', rule: 'asks' });
  expect(approval?.description).toContain('by Agent: support/tier1');
  expect(approval?.description).toContain('> ' + '  "pin": 1');
  const digest = waits.run?.calls['root#1.0']?.digest;
  const other = new Story().asks([callsAgent('support/billing')]);
  other.happened.push(drove([works('root#1.0', 'support/billing')], how));
  other.asks([writes('a', { pin: 1 })], child);
  expect(argumentsIn(other.told.log, `${child}#1.0`)?.digest).not.toBe(digest);
});

test('nothing is written in a run that is paused, or for a call that is done', () => {
  const story = new Story().asks([writes('a', 1)]);
  const pauses = (from: ConversationState): ConversationState => ({
    ...from,
    run: from.run && { ...from.run, paused: { by: 'ada', reason: '', at: dawn } },
  });
  const use = uses(story.told, 'root#1.0');
  given(...story.happened)
    .when((now) => drives([use], how)(pauses(now)))
    .thenFacts('runReleased');
  story.uses('root#1.0');
  given(...story.happened)
    .when(drives([use], how))
    .thenFacts();
});

test('an agent is told what nodes have written under a key, else what is shared under it', () => {
  const story = new Story().asks([writes('a', [1]), writes('b', 'x\u200by')]);
  story.uses('root#1.0', 'root#1.1');
  const { run } = state(story);
  if (run === null) throw new Error('there is no run');
  const values = new Map(run.data?.map(({ key, writtenAt }) => [writtenAt, key === 'a' ? '[1]' : '"x\u200by"']));
  const told = (sessionState: Record<string, Output>) =>
    toldState({ ...run, sessionState }, ['a', 'none', '__proto__', 'b'], (revision) => `text ${revision}`, values);
  expect(told({})).toBe('a:\n> [1]\n\nb:\n> "x\\u{200b}y"');
  expect(told({ a: [{ revision: 7 }] })).toBe('a:\n> text 7\n\nb:\n> "x\\u{200b}y"');
});
