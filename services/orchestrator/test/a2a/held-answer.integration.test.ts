import { afterEach, expect, test } from 'vitest';
import { client, may, never, order } from './orders.ts';
import { cardOf, isCard, type ScriptedAgent, scriptedAgent, sendJson } from './scripted-agent.ts';

const open: ScriptedAgent[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

const yes = { approvalId: 'q1', verdict: 'approved', result: '', messageId: 'm2', isOneOfSeveral: false } as const;

test('whether an answer may go is asked when the agent is known, and nothing goes out after a no', async () => {
  const agent = await scriptedAgent((request, response) =>
    isCard(request) ? sendJson(response, cardOf(`http://${request.headers.host}/a2a`, {})) : void response.destroy(),
  );
  open.push(agent);
  const seen: number[] = [];
  const mayGo = async () => {
    seen.push(agent.requests.length);
    return false;
  };
  const request = order(`${agent.origin}/a2a`, { taskId: 't' });
  expect(await client().answer(request, yes, () => undefined, never, mayGo)).toEqual({ kind: 'held' });
  expect(seen).toEqual([agent.requests.length]);
  expect(agent.requests.every(isCard)).toBe(true);
});

test('an agent whose card is not to be had was surely sent nothing', async () => {
  const agent = await scriptedAgent((_, response) => void response.destroy());
  open.push(agent);
  const request = order(`${agent.origin}/a2a`, { taskId: 't' });
  const asked: string[] = [];
  const mayGo = () => may().finally(() => asked.push('may it go?'));
  expect(await client().answer(request, yes, () => undefined, never, mayGo)).toMatchObject({ kind: 'unavailable' });
  expect(asked).toEqual([]);
});
