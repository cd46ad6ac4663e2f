import { agentStream, defineAgent, defineToolset, definitionOf, toolsetStream } from '@stopgo/core';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AgentCatalogue, CatalogueAgent } from '../../src/agents/catalogue.ts';
import { listTool, Surroundings } from './catalogues.ts';

/** What every catalogue of agents must do. */
export function agentCatalogueContract(name: string, open: (around: Surroundings) => AgentCatalogue): void {
  describe(`agent catalogue: ${name}`, () => {
    const going = new AbortController().signal;
    let around: Surroundings;
    let agents: AgentCatalogue;
    let all: CatalogueAgent[];
    beforeEach(async () => {
      around = new Surroundings();
      agents = open(around);
      const names = await agents.list();
      all = (await Promise.all(names.map((one) => agents.find(one)))).flatMap((one) => one ?? []);
    });

    test('lists each agent once, and finds it under its name, which is that of its definition', async () => {
      const names = await agents.list();
      expect(new Set(names).size).toBe(names.length);
      expect(all.map((one) => [one.name, one.definition.name])).toEqual(names.map((one) => [one, one]));
    });

    test('has a default agent, which is one of those that it lists', async () => {
      const { name: byDefault, definition } = await agents.default();
      expect((await agents.find(byDefault))?.definition).toEqual(definition);
      expect(await agents.list()).toContain(byDefault);
    });

    test.each(['', 'nobody', 'constructor', '__proto__', 'toString'])('finds nothing under the name %j', async (no) => {
      expect(await agents.find(no)).toBeUndefined();
    });

    test('finds nothing under a name that is only like one', async () => {
      for (const { name: one } of all)
        for (const like of [` ${one}`, `${one} `, one.toUpperCase(), one.slice(1), `${one}${one}`])
          expect(await agents.find(like), like).toBeUndefined();
    });

    test('what a run follows is on the record, once, under the digests that it is given', async () => {
      around.tools = { tools: new Map([['list', listTool]]), definitions: new Map([[listTool.pin, '{}']]) };
      for (const agent of all) {
        const follows = await agent.forRun(going);
        const { agentDigest, toolsetDigest, definitions } = follows;
        const { tools } = around.tools;
        expect(definitionOf(definitions, { id: 'run', ...follows }, 'root')).toEqual({
          agent: agent.definition,
          tools,
        });
        expect([agentDigest, toolsetDigest]).toEqual([
          defineAgent(agent.definition).digest,
          defineToolset(tools).digest,
        ]);
        const recorded = [agentStream(agentDigest), toolsetStream(toolsetDigest)].map((stream) =>
          (around.log.streams.get(stream) ?? []).map(({ fact }) => fact.case),
        );
        expect(recorded).toEqual([['agentDefined'], ['toolsetDefined']]);
        const { appends } = around.log;
        await agent.forRun(going);
        expect(around.log.appends, 'nothing is recorded again').toBe(appends);
      }
    });

    test('a run follows the tools that there are when it starts', async () => {
      const agent = await agents.default();
      const before = await agent.forRun(going);
      around.tools = { tools: new Map([['list', listTool]]), definitions: new Map([[listTool.pin, '{}']]) };
      const after = await agent.forRun(going);
      const toolsOf = (follows: typeof after) => [
        ...definitionOf(follows.definitions, { id: 'run', ...follows }, 'root').tools.keys(),
      ];
      expect([toolsOf(before), toolsOf(after)]).toEqual([[], ['list']]);
      expect(after.agentDigest).toBe(before.agentDigest);
    });

    test('without tools no run starts, and agents are found nevertheless', async () => {
      around.tools = undefined;
      const agent = await agents.default();
      await expect(agent.forRun(going)).rejects.toMatchObject({ kind: 'unavailable' });
      expect((await agents.find(agent.name))?.systemPrompt).toBe(agent.systemPrompt);
      expect(around.log.appends).toBe(0);
    });
  });
}
