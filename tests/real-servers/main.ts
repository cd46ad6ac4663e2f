import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { firstHour, realServers } from './servers.ts';
import { page } from './table.ts';
import { type Found, tryServers } from './try-servers.ts';

/*
 * `npm run test:real-servers [-- NAME…]`: tries the servers of the list, or those that are named, and writes docs/real-servers.md if
 * it was all of them. Ends with 1 if one of the official servers does not connect, or a harmless call does not say what it should.
 */
const document = fileURLToPath(new URL('../../docs/real-servers.md', import.meta.url));
const named = process.argv.slice(2);
const unknown = named.filter((one) => !realServers.some(({ name }) => name === one));
if (unknown.length > 0) {
  console.error(
    `no server of the list is called ${unknown.join(', ')}; it has ${realServers.map(({ name }) => name).join(', ')}`,
  );
  process.exit(1);
}
const servers = realServers.filter(({ name }) => named.length === 0 || named.includes(name));
// Where npx would go by the settings of this repository.
process.chdir(tmpdir());

const found: Found[] = [];
for (const server of servers) {
  const [one] = await tryServers([server]);
  if (one === undefined) continue;
  found.push(one);
  console.log(sentence(one));
}
const together = named.length === 0 ? await tryServers(realServers.filter(({ name }) => firstHour.includes(name))) : [];
for (const one of together) console.log(`together: ${sentence(one)}`);

if (named.length === 0) {
  const day = new Date().toISOString().slice(0, 10);
  writeFileSync(document, page(found, together, process.versions.node, day));
  console.log(`${join('docs', 'real-servers.md')} is written`);
}
const failures = [...found, ...together].filter(isFailure);
console.log(`${found.length + together.length - failures.length} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;

/** Others may want what nobody has here; the official ones have to work. */
function isFailure({ server, outcome }: Found): boolean {
  const isOfficial = server.package.startsWith('@modelcontextprotocol/') || server.package.startsWith('@playwright/');
  if (outcome.kind === 'refused') return isOfficial;
  return outcome.call?.includes('said something else') === true;
}

function sentence({ server, outcome, startMs }: Found): string {
  const what =
    outcome.kind === 'refused'
      ? `not connected: ${outcome.reason}`
      : `${outcome.era}, ${outcome.offered} tools, ${outcome.held} held, ${outcome.leftOut.length} left out, ${outcome.definitionBytes} bytes, ${outcome.call ?? 'no call'}`;
  return `${server.package}: ${what} (${Math.round(startMs / 1_000)} s)`;
}
