import { readFileSync } from 'node:fs';
import type { Actor } from '@stopgo/client';
import { expect, test } from 'vitest';
import type { LogEvent } from '../../app/api/payload.ts';
import { addressOf, askedFor } from '../../app/run/address.ts';
import { eventKinds, lineOf, namesIn, whoTag, whoWords } from '../../app/run/event-words.ts';
import { costWords, dollars, nothingSpent, plus, spentByAnswer } from '../../app/run/spent.ts';
import { sizeWords, verdictOf } from '../../app/run/verification.ts';
import { tookWords } from '../../app/run/words.ts';

const event = (
  type: string,
  payload: object = {},
  actor: Actor = { kind: 'system', id: 'orchestrator-1' },
): LogEvent => ({
  ...{ revision: 1, event_id: 'e', time: null, actor, type },
  payload: { run_id: 'r', ...payload },
});
const words = (one: LogEvent, names: ReadonlyMap<string, string> = new Map()) => lineOf(one, names).text;

/** Facts that stand in other streams than a conversation's. */
const elsewhere =
  /^(push_|agent_defined|tool_defined|toolset_|tool_server_|tools_|policy_|user_(?!message)|api_key_|link_|repository_|memory_|account_|tokens?_refresh)/;

test('every kind of event has words, and one that is not known says so', () => {
  const contract = readFileSync(new URL('../../../../proto/stopgo/events/v1/payload.proto', import.meta.url), 'utf8');
  const [union = ''] = /oneof fact \{[^}]*\}/.exec(contract) ?? [];
  const types = [...union.matchAll(/^ {4}\w+ (\w+) = \d+;/gm)].map(([, name = '']) => name);
  const ours = types.filter((type) => !elsewhere.test(type));
  expect(ours.length).toBeGreaterThan(40);
  expect(ours.filter((type) => /does not know/.test(words(event(type))))).toEqual([]);
  expect(words(event('from_the_future'))).toContain('from_the_future');
  const kinds = new Set(ours.map((type) => lineOf(event(type), new Map()).kind));
  expect([...kinds].sort()).toEqual(eventKinds.map(([kind]) => kind).sort());
});

test('a line says who did what to which call, also where the event does not name it', () => {
  const asked = event('model_responded', { calls: [{ call_id: 'root#1.0', tool: 'pay' }] });
  const names = new Map(namesIn(asked));
  expect(words(event('tool_call_started', { call_id: 'root#1.0', attempt: 2 }), names)).toBe(
    'pay is called, attempt 2',
  );
  // Calls of another run may have the same id.
  expect(words(event('tool_call_started', { run_id: 's', call_id: 'root#1.0' }), names)).toBe('a call is called');
  const ada: Actor = { kind: 'approver', id: 'ada', claimed: true, surface: 'rest' };
  const rejected = { tool: 'pay', decision: 'DECISION_REJECTED', said: 'too\nmuch' };
  expect(words(event('approval_resolved', rejected, ada))).toBe('“ada” (unverified) rejected pay: “too much”');
  expect(words(event('approval_resolved', { tool: 'pay', decision: 'DECISION_APPROVED', by_policy: true }, ada))).toBe(
    'A rule approved pay',
  );
  expect(words(event('user_message_received', { text: 'x'.repeat(500) }, ada))).toMatch(/x…”$/);
});

test.each([
  [
    { kind: 'approver', id: 'ada@x.org', principal: 'user:1', surface: 'rest' },
    'ada@x.org – signed in, over the API',
    'signed in',
  ],
  [
    { kind: 'approver', id: 'ada', claimed: true, surface: 'cli' },
    'ada – claimed, nobody has verified it, at the command line',
    'unverified',
  ],
  [{ kind: 'user', id: 'anonymous', surface: 'a2a' }, 'somebody who gave no name, over A2A', 'no name'],
  [{ kind: 'system', id: 'orchestrator-1' }, 'the platform (orchestrator-1)', 'platform'],
] as readonly (readonly [Actor, string, string])[])('%j: how much is known of who it was', (actor, said, tag) => {
  expect(whoWords(actor)).toBe(said);
  expect(whoTag(actor)).toBe(tag);
});

test('a check says what the platform says: sound, or each thing that is wrong', () => {
  const checked = { verified_at: '2026-01-01T00:00:00Z', problems: [], sound: true, events: 12 };
  const head = { stream: 's', revision: 12, hash: 'ab' };
  expect(verdictOf({ ...checked, head }, 12)).toMatchObject({ isSound: true, title: 'The record is sound', head });
  const broken = verdictOf({ ...checked, sound: false, problems: ['event 3: the hash does not fit'] }, 12);
  expect(broken).toMatchObject({ isSound: false, title: 'The record is not sound' });
  expect(broken.lines).toContain('event 3: the hash does not fit');
  // The chain of what is left holds, and this page has seen more.
  const cut = verdictOf({ ...checked, head, events: 9 }, 12);
  expect(cut.isSound).toBe(false);
  expect(cut.lines[0]).toContain('shown 12 events, and the record holds 9');
});

test('what is known of costs is added up, and what is not is said', () => {
  const priced = spentByAnswer({ input_tokens: 3, output_tokens: 1, cost_nano_usd: '1500000' });
  expect(costWords(priced)).toBe('$0.001500');
  expect(costWords(plus(priced, spentByAnswer({ input_tokens: 1 })))).toBe('$0.001500 and more');
  expect(costWords(spentByAnswer({ input_tokens: 1 }))).toBe('not known');
  expect(costWords(nothingSpent)).toBe('');
  expect([0, 12, 2_500_000_000, 45_000_000].map(dollars)).toEqual(['$0.00', 'less than $0.000001', '$2.50', '$0.0450']);
});

test('lengths and sizes are in the units that suit them', () => {
  expect([12, 1_500, 61_000, 3_700_000, 90_000_000].map(tookWords)).toEqual([
    ...['12 ms', '1.5 s', '1 min 1 s', '1 h 1 min', '1 d 1 h'],
  ]);
  expect([12, 2_048, 3_145_728].map(sizeWords)).toEqual(['12 bytes', '2.0 KiB', '3.0 MiB']);
});

test('the address says what is looked at, and what makes no sense in it is left out', () => {
  const asked = { view: 'timeline', run: 'r', revision: 7 } as const;
  expect(addressOf('c', asked)).toBe('/c/c/run?view=timeline&run=r&revision=7');
  expect(askedFor('?view=timeline&run=r&revision=7')).toEqual(asked);
  expect(askedFor('?view=nonsense&revision=-1')).toEqual({ view: 'graph' });
  expect(addressOf('c', { view: 'graph' })).toBe('/c/c/run');
});
