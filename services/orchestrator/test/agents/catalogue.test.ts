import { describe, expect, test } from 'vitest';
import { agentIsGone, agentNamed, agentOfConversation } from '../../src/agents/catalogue.ts';
import { agentCatalogueContract } from './catalogue.contract.ts';
import { agentOf, SeveralAgents, Surroundings } from './catalogues.ts';

agentCatalogueContract('the configured agent', (around) => around.configured(agentOf('clerk')));
agentCatalogueContract('several agents', (around) => new SeveralAgents(around, ['clerk', 'baker', 'smith']));

const several = (...names: string[]) => new SeveralAgents(new Surroundings(), names);

describe('a new conversation', () => {
  test('is opened for the agent that it names, or for the default one', async () => {
    const agents = several('clerk', 'baker');
    expect([(await agentNamed(agents, 'baker')).name, (await agentNamed(agents, '')).name]).toEqual(['baker', 'clerk']);
  });

  test('is not opened for an agent that there is not, even if there is only one: what there is, is listed', async () => {
    await expect(agentNamed(several('clerk'), 'baker')).rejects.toMatchObject({
      kind: 'not_found',
      message: 'there is no agent baker; there is clerk',
      details: { reason: 'no_agent' },
    });
    await expect(agentNamed(several('clerk', 'a "b"'), 'x\n\u202ey')).rejects.toMatchObject({
      message: 'there is no agent "x\\n\\u{202e}y"; there are clerk, "a \\"b\\""',
    });
  });

  test('and the list is bounded, whatever is asked for and however many there are', async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `${index} ${'n'.repeat(10_000)}`);
    const refused = await agentNamed(several(...names), 'x'.repeat(1_000_000)).catch((error: Error) => error.message);
    expect(refused).toMatch(/ and 980 more$/);
    expect(String(refused).length).toBeLessThan(4_000);
  });
});

describe('a conversation goes on with', () => {
  test('the agent that it was opened for', async () => {
    expect((await agentOfConversation(several('clerk', 'baker'), 'baker'))?.name).toBe('baker');
  });

  test('the only agent, whatever that was called', async () => {
    expect((await agentOfConversation(several('clerk'), 'baker'))?.name).toBe('clerk');
  });

  test('nobody, if there are several others', async () => {
    const agents = several('clerk', 'smith');
    expect(await agentOfConversation(agents, 'baker')).toBeUndefined();
    expect(await agentIsGone(agents, 'c-1', 'baker')).toMatchObject({
      kind: 'failed_precondition',
      details: { reason: 'no_agent' },
      message:
        'conversation c-1 was opened for the agent baker, which is not there any more; there are clerk, smith; open another conversation',
    });
  });
});
