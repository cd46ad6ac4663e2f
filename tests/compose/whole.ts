import { client, until } from '../e2e/http.ts';

/** Longest time for services to find each other again, in milliseconds. */
const findMs = 120_000;

/**
 * Waits until a turn with a decision is answered in one go through a gateway. Containers that came back at other addresses are
 * looked up again after a while; until then a message is refused, and a decision is answered before the run has gone on.
 */
export async function whole(gateway: string): Promise<void> {
  const http = client(gateway);
  await until(
    `the services behind ${gateway} find each other`,
    async () => {
      const asked = await http.post('/conversations', { message: 'create a server probe with value 1' });
      if (asked.status !== 201) return undefined;
      const decided = await http.post(`/approvals/${asked.body.result.approval?.uuid}`, { answer: 'no' });
      return decided.status === 200 ? true : undefined;
    },
    findMs,
  );
}
