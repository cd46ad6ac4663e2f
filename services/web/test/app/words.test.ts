import type { Approval } from '@stopgo/client';
import { expect, test } from 'vitest';
import { headlineOf, restOf } from '../../app/approvals/words.ts';

const approval = (kind: string, tool: string, description: string, agent?: string): Approval =>
  ({
    ...{ uuid: 'a', kind, tool_name: tool, description },
    ...(agent === undefined ? {} : { remote_agent_name: agent }),
  }) as Approval;

test.each([
  ['tool', 'delegate_funds', '**DELEGATE_FUNDS**\n\nArgs: {}', 'Call delegate_funds'],
  ['tool', 'proxy', '**PROXY**\n\nArgs: {}', 'Call proxy'],
  ['tool', 'Pay "All"', '**"Pay \\"All\\""**\n\nArgs: {}', 'Call Pay "All"'],
  ['tool', 'DELEGATE to A2A Agent: bank', '**"DELEGATE to A2A Agent: bank"**', 'Call DELEGATE to A2A Agent: bank'],
  ['tool', 'save_memory', '**SAVE Memory of Agent: "Ops Team"**\n\nKey: x', 'Call save_memory'],
  ['in_doubt', 'pay', '**IN DOUBT: PAY**', 'Did pay run? Nobody knows'],
  ['delegation', 'ask', '**DELEGATE to A2A Agent: "Ops: Team"**\n\nMessage: x', 'Hand a task to the agent "Ops: Team"'],
  ['delegation', 'ask_agent', '', 'Hand a task to the agent ask_agent'],
  ['proxy', 'pay', '**PROXY APPROVAL — A2A Agent: Bank**\n\nx', 'Another agent asks: Bank'],
  ['from_the_future', 'delegate_funds', '**DELEGATE_FUNDS**', 'Call delegate_funds'],
])('%s %s: what it is, its kind decides, and its name is the exact one', (kind, tool, description, words) => {
  expect(headlineOf(approval(kind, tool, description))).toBe(words);
});

test('another agent is called by the name that the platform has for it', () => {
  expect(headlineOf(approval('delegation', 'ask', '**DELEGATE to A2A Agent: x**', 'Bank'))).toContain('agent Bank');
});

test('a warning is shown, also where it stands before everything else', () => {
  const pinned = '⚠️ The agent is of commit 1234.\n\n**DELEGATE to A2A Agent: bank**\n\nMessage: x';
  expect(headlineOf(approval('delegation', 'ask', pinned))).toBe('Hand a task to the agent bank');
  expect(restOf(approval('tool', 'remove', '**REMOVE**\n\nPattern: *\n\n⚠️ ALL of them!'))).toBe('⚠️ ALL of them!');
  expect(restOf(approval('delegation', 'ask', pinned))).toBe('⚠️ The agent is of commit 1234.');
});
