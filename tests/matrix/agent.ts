import type { AgentDefinition, LlmNode } from '@stopgo/core';
import type { ModelPort } from '@stopgo/orchestrator';

/** Branches, and gated calls that each asks for in one answer. */
export const branches = ['a', 'b', 'c'] as const;
export const callsPerBranch = 2;

/** The calls of all branches, by their ids. */
export const callIds: readonly string[] = branches.flatMap((_, branch) =>
  Array.from({ length: callsPerBranch }, (_none, call) => `root/${branch}#1.${call}`),
);

/** Three branches side by side, of which each waits for people. */
export const agent: AgentDefinition = {
  name: 'branches',
  root: { type: 'parallel', name: 'all', onError: 'fail', children: branches.map(branch) },
};

function branch(name: string): LlmNode {
  const common = { type: 'llm', prompt: '', canExitLoop: false, turnsMax: 3, approval: 'require' } as const;
  return { ...common, name, model: name, outputKey: name };
}

/** The text that a call writes into the ledger: no other call of any conversation has it. */
export function noteOf(message: string, callId: string): string {
  const [, branchIndex = '', call = ''] = /^root\/(\d)#1\.(\d)$/.exec(callId) ?? [];
  return `${message} ${branches[Number(branchIndex)]}${call}`;
}

/** A model asks for its two calls at first, and is content with whatever became of them. */
export function model(onAsked: (message: string, branch: string, turn: number) => void): ModelPort {
  return {
    takes: () => false,
    generate: async (request) => {
      const [first] = request.messages;
      const message = first?.role === 'user' ? first.text : '';
      const hasResults = request.messages.some(({ role }) => role === 'tool');
      onAsked(message, request.model, hasResults ? 2 : 1);
      const calls = Array.from({ length: callsPerBranch }, (_, index) => ({
        providerCallId: '',
        name: 'ledger_note',
        argumentsJson: JSON.stringify({ text: `${message} ${request.model}${index}` }),
      }));
      const usage = { inputTokens: 1, outputTokens: 1 };
      const said = { provider: 'test', model: request.model, usage, stopReason: 'stop' };
      const answer = hasResults ? { text: `${request.model} is done`, calls: [] } : { text: '', calls };
      return { kind: 'answer', answer: { ...answer, ...said } };
    },
  };
}
