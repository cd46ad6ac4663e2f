import {
  advance,
  type Definitions,
  DomainError,
  decideRun,
  definitionOf,
  receiveMessage,
  type Toolset,
} from '@stopgo/core';
import { describe, expect, test } from 'vitest';
import { dawn, given } from './specification.ts';
import {
  agentOf,
  answered,
  assistant,
  call,
  claim,
  digests,
  llm,
  modelAnswered,
  opened,
  said,
  tool,
  tools,
} from './story.ts';

const other = agentOf(llm({ name: 'other', turnsMax: 1 }));
/** Those of the story's run among others. */
const several: Definitions = {
  agents: new Map([
    ['another', other],
    [digests.agentDigest, assistant],
  ]),
  toolsets: new Map<string, Toolset>([
    [digests.toolsetDigest, tools],
    ['none', new Map()],
  ]),
};
const without = (kind: keyof Definitions): Definitions => ({ ...several, [kind]: new Map() });

describe('a run follows the definitions that it names, of several', () => {
  const { state } = given(opened, said('go'));
  const run = { id: 'run-1', ...digests };

  test('an agent and its tools', () => {
    expect(definitionOf(several, run, 'root')).toEqual({ agent: assistant, tools });
    expect(definitionOf(several, { ...run, agentDigest: 'another', toolsetDigest: 'none' }, 'root')).toEqual({
      agent: other,
      tools: new Map(),
    });
  });

  test('what is owed', () => {
    expect(advance(several, state, dawn).effects).toMatchObject([{ kind: 'model', node: assistant.root }]);
  });

  test('how its calls are judged', () => {
    const alone: Definitions = {
      ...several,
      toolsets: new Map([[digests.toolsetDigest, new Map([['x', tool('x')]])]]),
    };
    const judged = (definitions: Definitions) => {
      const owner = state.run?.owner ?? { instance: '', epoch: 0 };
      const context = { definitions, runId: 'run-1', me: owner, now: dawn };
      const decision = decideRun(state, [modelAnswered({ calls: [call('list')], turn: 1 })], context);
      const [answer] = decision.kind === 'append' ? decision.facts : [];
      return answer?.case === 'modelResponded' ? answer.value.calls[0]?.error : undefined;
    };
    expect(judged(several)).toBe('');
    expect(judged(alone)).toBe('Tool not found: list');
  });

  test.each(['agents', 'toolsets'] as const)('and nothing is decided without %s', (kind) => {
    const definitions = without(kind);
    const missing = { kind: 'internal', message: expect.stringContaining('which step root of run run-') };
    expect(() => advance(definitions, state, dawn)).toThrow(DomainError);
    const context = { definitions, runId: 'run-1', me: state.run?.owner ?? { instance: '', epoch: 0 }, now: dawn };
    for (const decide of [
      () => definitionOf(definitions, run, 'root'),
      () => decideRun(state, [claim], context),
      () =>
        receiveMessage(given(opened, said('go'), answered({ text: 'Gone.' })).state, {
          ...{
            text: 'go on',
            runId: 'run-2',
            agent: { ...digests, definitions },
            instance: 'o',
            bearerTokenPresent: false,
            now: dawn,
          },
        }),
    ])
      expect(decide).toThrow(expect.objectContaining(missing));
  });
});
