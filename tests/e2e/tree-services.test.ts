import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from './http.ts';
import { hasNatsServer } from './nats-server.ts';
import { noneLeftOf, processesOf } from './processes.ts';
import { type PlantedTree, plant } from './tree.ts';

/** Branches that wait while the processes that serve them come and go. */
const startMs = 90_000;
const names = ['red', 'green', 'blue'];

describe.skipIf(!hasNatsServer)('separate processes', () => {
  let tree: PlantedTree;

  beforeAll(async () => {
    const branches = names.map((name) => ({ name, prompt: `You are ${name.toUpperCase()}.` }));
    const sides = { type: 'parallel', approval: 'require', agents: branches };
    tree = await plant(
      { type: 'sequential', agents: [sides, { name: 'last', prompt: 'You are LAST.' }] },
      { command: 'services', args: ['--replicas', 'orchestrator=2'] },
    );
  }, startMs);

  afterAll(async () => {
    await tree.end();
    await noneLeftOf(tree.place.folder);
  }, startMs);

  async function allWait(story: string) {
    await tree.model.script(
      ...names.map((name) => ({
        match: story,
        prompt: name.toUpperCase(),
        calls: [{ name: 'erase', args: { name: `${story}-${name}` } }],
      })),
    );
    // An orchestrator that was killed before may not be back yet: whoever is told to ask again does.
    const { body } = await until('it is taken', async () => {
      const answer = await tree.ask(`story ${story}`);
      return answer.status === 503 ? undefined : answer;
    });
    expect(body.conversation.pending_approvals).toHaveLength(names.length);
    return { id: body.conversation.id, approvals: body.conversation.pending_approvals.map(({ uuid }) => uuid) };
  }

  /** Settled with every call made once, and no model asked again for what it had said. */
  async function allDone(story: string, id: string, last: string): Promise<void> {
    const { conversation } = (await tree.settled(id)).body;
    expect(conversation.run?.status).toBe('completed');
    expect(conversation.messages.at(-1)?.content).toBe(`[last] ${last}`);
    for (const name of names) expect(tree.journal.began('erase', `${story}-${name}`), name).toBe(1);
  }

  const pidsOf = (service: string): number[] =>
    processesOf(tree.place.folder).filter((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`service\0${service}`),
    );

  const signal = (pids: readonly number[], name: NodeJS.Signals): void => {
    for (const pid of pids) process.kill(pid, name);
  };

  test('answers that are given while no orchestrator is there are kept, and the run goes on by itself', {
    timeout: 2 * startMs,
  }, async () => {
    const { id, approvals } = await allWait('away');
    await tree.model.script({ match: 'away', prompt: 'LAST', text: 'Back again.' });
    const orchestrators = pidsOf('orchestrator');
    expect(orchestrators).toHaveLength(2);
    // Frozen: the launcher would start killed ones at once.
    signal(orchestrators, 'SIGSTOP');
    const answers = approvals.map((uuid) => tree.decide(uuid, true));
    await until('each decision is on the record', async () => {
      const { conversation } = (await tree.http.get(`/conversations/${id}`)).body;
      return conversation.pending_approvals.length === 0 ? true : undefined;
    });
    expect(tree.journal.text()).not.toContain('away-');
    signal(orchestrators, 'SIGKILL');
    // Whoever asked may have been answered before it was known what came of it; a decision that stands is no failure.
    for (const { status } of await Promise.all(answers)) expect([200, 202, 503, 504]).toContain(status);
    await until('the run goes on', async () => (tree.journal.text().includes('away-') ? true : undefined));
    await allDone('away', id, 'Back again.');
  });

  test('everything killed while several wait is the same tree afterwards: each answer counts, each call is made once', {
    timeout: 3 * startMs,
  }, async () => {
    const { id, approvals } = await allWait('killed');
    await tree.model.script({ match: 'killed', prompt: 'LAST', text: 'Nothing was lost.' });
    const before = (await tree.http.get(`/conversations/${id}`)).body.conversation;
    await tree.again('SIGKILL');
    expect((await tree.http.get(`/conversations/${id}`)).body.conversation).toEqual(before);
    const answers = await Promise.all(approvals.map((uuid) => tree.decide(uuid, true)));
    for (const { status } of answers) expect([200, 202]).toContain(status);
    await allDone('killed', id, 'Nothing was lost.');
    const asked = (await tree.model.requests()).filter(({ body }) => JSON.stringify(body).includes('story killed'));
    expect(asked).toHaveLength(2 * names.length + 1);
  });
});
