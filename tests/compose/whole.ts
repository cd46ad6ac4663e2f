import { client, until } from '../e2e/http.ts';

/** Longest time for services to find each other again, in milliseconds. */
const findMs = 120_000;

/** Turns in a row: each replica that a gateway knows gets more than one. */
const turnsInARow = 4;

/**
 * Waits until turns with a decision and with a call of a tool are answered in one go through a gateway. Containers that came back
 * at other addresses are looked up again after a while; until then a message is refused, a decision is answered before the run
 * has gone on, and a call is not sent. One replica that has found the others says nothing of the next.
 */
export async function whole(gateway: string): Promise<void> {
  await until(
    `the services behind ${gateway} find each other`,
    async () => {
      for (let turn = 0; turn < turnsInARow; turn += 1) if (!(await isAnswered(gateway))) return undefined;
      return true;
    },
    findMs,
  );
}

async function isAnswered(gateway: string): Promise<boolean> {
  const http = client(gateway);
  const asked = await http.post('/conversations', { message: 'create a server probe with value 1' });
  if (asked.status !== 201) return false;
  const decided = await http.post(`/approvals/${asked.body.result.approval?.uuid}`, { answer: 'no' });
  if (decided.status !== 200) return false;
  // The rejected call has not gone to its tool server. This one needs no approval.
  const listed = await http.post('/conversations', { message: 'list all resources' });
  const calls = listed.body.conversation?.messages.flatMap(({ tool_call }) => tool_call ?? []) ?? [];
  return calls.some((call) => call.result !== undefined && call.is_error !== true);
}
