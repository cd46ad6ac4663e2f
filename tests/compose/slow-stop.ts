import assert from 'node:assert/strict';
import { client, until } from '../e2e/http.ts';
import { journalOf } from '../e2e/journal.ts';
import type { Composition } from './composition.ts';
import { whole } from './whole.ts';

/** Longest time for what a stop must show, in milliseconds. */
const patienceMs = 120_000;

/** Services that a slow request goes through. */
const services = ['gateway', 'orchestrator', 'mcp-bridge'];

/** All containers of a service are stopped while a tool runs: they wait for it, and its request is answered. */
export async function stopsInTheMiddle(composition: Composition, say: (line: string) => void): Promise<void> {
  const journal = journalOf({ folder: composition.shared.folder });
  for (const service of services) {
    const containers = await composition.containers(service);
    const [url = ''] = await composition.gateways();
    const name = `through-${service}`;
    const before = await Promise.all(containers.map((container) => stopsIn(composition.logs(container))));
    const answer = client(url).post('/conversations', { message: `call hold {"name":"${name}"}` });
    await until(`hold ${name} runs`, async () => (journal.began('hold', name) > 0 ? true : undefined), patienceMs);
    const stopping = Promise.all(containers.map((container) => composition.stop(container)));
    for (const [index, container] of containers.entries())
      await until(
        `${container.name} begins to stop`,
        async () => ((await stopsIn(composition.logs(container))) > (before[index] ?? 0) ? true : undefined),
        patienceMs,
      );
    journal.letGo(name);
    const { status, text, body } = await answer;
    assert.equal(status, 201, text);
    assert.match(body.result.response, new RegExp(`let ${name} go`));
    assert.equal(journal.began('hold', name), 1);
    for (const { code } of await stopping) assert.equal(code, 0);
    say(`every ${service} stopped cleanly in the middle of a request, which was answered`);
    await composition.start(...containers);
    await composition.healthy();
    for (const gateway of await composition.gateways()) await whole(gateway);
  }
}

/** How many times a log says that its program was told to end. */
async function stopsIn(log: Promise<string>): Promise<number> {
  return (await log).split('Shutting down').length - 1;
}
