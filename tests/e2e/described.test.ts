import { describe, expect, test } from 'vitest';
import { problemsOf, problemsOfEvent } from './described.ts';

const list = { method: 'GET', path: '/conversations', status: 200, contentType: 'application/json' };
const summary = { total: 0, active: 0, waiting_approval: 0, completed: 0 };
const empty = { conversations: [], summary, position: 0 };

describe('an answer is held against the description', () => {
  const problems = (more: Partial<typeof list>, body: object) => problemsOf({ ...list, ...more }, JSON.stringify(body));

  test('one that is as described has no problem; nor has one of another protocol, or of no route', () => {
    expect(problems({}, empty)).toEqual([]);
    expect(problems({ status: 401 }, { error: 'sign in first' })).toEqual([]);
    expect(problems({ path: '/a2a', method: 'POST' }, { jsonrpc: '2.0' })).toEqual([]);
    expect(problems({ path: '/nothing', status: 404 }, { error: 'Cannot GET /nothing' })).toEqual([]);
  });

  test.each([
    ['a member that is not described', {}, { ...empty, more: 1 }, 'must NOT have additional properties'],
    ['one within a list within it', {}, { ...empty, summary: { ...summary, more: 1 } }, '/summary: must NOT have'],
    ['a member that is missing', {}, { ...empty, position: undefined }, "must have required property 'position'"],
    ['a value of another type', {}, { ...empty, position: 'x' }, '/position: must be integer'],
    ['a status', { status: 201 }, empty, 'GET /conversations answers 201, which is not described'],
    ['a route', { path: '/conversations/a/b' }, empty, 'GET /conversations/a/b: it is not described'],
    ['a method', { method: 'DELETE' }, empty, 'DELETE /conversations: it is not described'],
    ['an error with a detail of its own', { status: 400 }, { error: 'x', detail: 'y' }, 'must NOT have additional'],
  ])('%s is a problem', (_, more, body, words) => {
    expect(problems(more, body).join('\n')).toContain(words);
  });

  test('paths of words come before those with names in their place', () => {
    const counts = { counts: { waiting: 0, overdue: 0 } };
    expect(problems({ path: '/approvals/counts' }, counts)).toEqual([]);
    expect(problems({ path: '/agents/a/b/memories' }, { memories: [], total: 0 })).toEqual([]);
  });
});

describe('an event is held against the description', () => {
  const events = { method: 'GET', path: '/conversations/x/events', status: 200, contentType: 'text/event-stream' };
  const event = { revision: 1, event_id: 'e', time: null, actor: { kind: 'user', id: 'a' }, payload: {} };
  const problems = (name: string, data: object) => problemsOfEvent(events, name, JSON.stringify(data));

  test('one that is as described has no problem', () => {
    expect(problems('run_started', { ...event, type: 'run_started' })).toEqual([]);
  });

  test.each([
    ['a fact that there is not', 'run_flown', { ...event, type: 'run_flown' }, '/type: must be equal to one of'],
    ['a member', 'run_started', { ...event, type: 'run_started', more: 1 }, 'must NOT have additional properties'],
    ['a delta without a place', 'delta', { run_id: 'r', step_id: 's', turn: 1, attempt: 1, text: '' }, "'offset'"],
  ])('%s is a problem', (_, name, data, words) => {
    expect(problems(name, data).join('\n')).toContain(words);
  });
});
