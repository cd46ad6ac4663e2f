import assert from 'node:assert/strict';
import { client, until } from '../e2e/http.ts';
import { journalOf } from '../e2e/journal.ts';
import type { Composition } from './composition.ts';
import { whole } from './whole.ts';

/** Longest time for what a stop must show, in milliseconds. */
const patienceMs = 120_000;
/** Pause before a request is repeated, in milliseconds. */
const repeatMs = 500;

/** Services that a slow request goes through. */
const services = ['gateway', 'orchestrator', 'mcp-bridge'];

/**
 * All containers of a service are stopped while a tool runs: they wait for it, and its request is answered. A connection to a
 * service that stops may be lost all the same; then the request is repeated with its key, as its answer says.
 */
export async function stopsInTheMiddle(composition: Composition, say: (line: string) => void): Promise<void> {
  const journal = journalOf({ folder: composition.shared.folder });
  for (const service of services) {
    const containers = await composition.containers(service);
    const [url = ''] = await composition.gateways();
    const name = `through-${service}`;
    const before = await Promise.all(containers.map((container) => stopsIn(composition.logs(container))));
    const answer = patiently(url, name);
    await until(`hold ${name} runs`, async () => (journal.began('hold', name) > 0 ? true : undefined), patienceMs);
    const stopping = Promise.all(containers.map((container) => composition.stop(container)));
    for (const [index, container] of containers.entries())
      await until(
        `${container.name} begins to stop`,
        async () => ((await stopsIn(composition.logs(container))) > (before[index] ?? 0) ? true : undefined),
        patienceMs,
      );
    journal.letGo(name);
    for (const { code } of await stopping) assert.equal(code, 0);
    await composition.start(...containers);
    await composition.healthy();
    for (const gateway of await composition.gateways()) await whole(gateway);
    const { repeats, given } = await answer;
    assert.equal(given.status, 201, given.text);
    assert.match(given.body.result.response, new RegExp(`let ${name} go`));
    assert.equal(journal.began('hold', name), 1);
    const how = repeats === 0 ? 'which was answered' : `which was answered after ${repeats} repeats`;
    say(`every ${service} stopped cleanly in the middle of a request, ${how}`);
  }
}

/** The answer to a message that holds a tool, which is repeated with its key while it is told that its outcome is unknown. */
async function patiently(url: string, name: string) {
  const end = performance.now() + patienceMs;
  for (let repeats = 0; ; repeats += 1) {
    const message = `call hold {"name":"${name}"}`;
    const given = await client(url).post(
      '/conversations',
      { message },
      { 'idempotency-key': `${name}-0123456789abcdef` },
    );
    if (given.status !== 503 || performance.now() > end) return { repeats, given };
    await new Promise((resolve) => setTimeout(resolve, repeatMs));
  }
}

/** How many times a log says that its program was told to end. */
async function stopsIn(log: Promise<string>): Promise<number> {
  return (await log).split('Shutting down').length - 1;
}
