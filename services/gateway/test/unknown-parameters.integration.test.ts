import { expect, test } from 'vitest';
import { gateway } from './support/gateway.ts';
import { ID } from './support/views.ts';

test.each([
  ['/conversations?stauts=active', '"stauts"; known: "status", "q", "include", "limit", "cursor"'],
  [
    '/approvals?status=pending&asignee=me',
    '"asignee"; known: "status", "conversation", "tool", "server", "node", "agent"',
  ],
  ['/inputs?state=pending', '"state"; known: "status", "limit", "cursor"'],
  [`/conversations/${ID}?revison=3`, '"revison"; known: "revision"'],
  ['/agents?query=x', '"query"; known: "repository", "q", "limit", "cursor"'],
  ['/agents/support/memories?q=x', '"q"; known: "query", "limit", "cursor"'],
])('%s is refused, with the parameters that there are, and reaches no service', async (path, words) => {
  const { send, calls } = await gateway({ registry: {} });
  const { status, json } = await send('GET', path);
  expect([status, calls]).toEqual([400, []]);
  expect(json.error).toContain(`unknown parameter ${words}`);
});

test('what nobody knows is left alone in the address of an event stream', async () => {
  const { send } = await gateway({});
  const { status, json } = await send('GET', `/conversations/${ID}/events?from=x&_=1`);
  expect([status, json.error]).toEqual([400, '"from" must be a whole number from 1 to 4294967294']);
});
