/**
 * How the platform runs in these tests: in one process; with `STOPGO_E2E_TOPOLOGY=services` each service as a process of
 * its own; with `STOPGO_E2E_TOPOLOGY=compose` in the containers that tests/compose has started. The same tests hold for all.
 */
export const topology = parsed(process.env.STOPGO_E2E_TOPOLOGY);

/** How long the tests wait for what must come, in milliseconds. Many processes share the machine with much else. */
export const patienceMs = { 'one process': 15_000, services: 60_000, compose: 120_000 }[topology];

function parsed(word = ''): 'one process' | 'services' | 'compose' {
  if (word === '') return 'one process';
  if (word === 'services' || word === 'compose') return word;
  throw new Error(`STOPGO_E2E_TOPOLOGY: expected services or compose, found ${JSON.stringify(word)}`);
}
