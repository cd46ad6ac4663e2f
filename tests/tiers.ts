import { filesOfKind, type Kind, kinds } from './kinds.ts';

/**
 * Which tests `npm test` leaves to `npm run verify`, and why. `npm test` needs Node and git only and takes minutes; what it
 * leaves out runs in `npm run test:slow` and, end to end over separate processes, in `npm run test:services`
 * (docs/decisions/0037-two-tiers-of-tests.md).
 */

/** What `STOPGO_TESTS` names. Without it all tests are there, so that `npx vitest run FILE` runs any file. */
export type Tier = 'all' | 'quick' | 'slow' | 'other-node';

/** The tier that the environment names. @throws Error if it names none that there is. */
export function tierOf(env: Readonly<Record<string, string | undefined>>): Tier {
  const named = env.STOPGO_TESTS ?? '';
  if (named === '') return 'all';
  if (named === 'quick' || named === 'slow' || named === 'other-node') return named;
  throw new Error(`STOPGO_TESTS: expected quick, slow or other-node, found ${JSON.stringify(named)}`);
}

/** These start a nats-server in every test. They run in `test:slow`. */
const onNats = [
  'services/store/test/*.nats.test.ts',
  'services/store/test/*.jetstream.test.ts',
  'tests/chaos/*.chaos.test.ts',
];

/** The same, end to end over separate processes. `test:services` runs all of tests/e2e, on NATS, so that `test:slow` need not. */
const endToEndOnNats = ['tests/e2e/{a2a-gateways,callbacks,services-cost,tool-server-replicas,tree-services}.test.ts'];

/** These drive a Chromium. They run in `test:web`. */
const onChromium = ['tests/web/*.test.ts'];

/** These take long: thousands of starts, orders or kills, or several platforms each. */
const slow = [
  // Every order of six decisions, with a crash after each.
  'tests/matrix/*.test.ts',
  // The platform is killed at many points. `npm run test:crash` kills it at all of them.
  'tests/crash/short.e2e.test.ts',
  'tests/crash/blob-kills.integration.test.ts',
  'services/store/test/crash.sqlite.test.ts',
  // A broken world each; `npm test` keeps the seeds of the sound one.
  'tests/simulation/{mutants,broken-sources}.test.ts',
  // Each example starts the platforms of its story, three agents some.
  'tests/examples/examples.test.ts',
  // Three platforms a test. `npm test` keeps approvals across agents in tests/e2e/scenarios.test.ts and a2a-tokens.test.ts.
  'tests/e2e/proxy-approvals.test.ts',
  'tests/e2e/a2a-lost-answer.test.ts',
  'tests/processes/callbacks.test.ts',
  // A platform per provider; `npm test` keeps tests/e2e/model.test.ts and the providers' own suites.
  'tests/e2e/providers.test.ts',
  // Random requests; `npm test` keeps tests/e2e/a2a-hostile.test.ts.
  'tests/e2e/a2a-fuzz.test.ts',
  // A gigabyte of pictures. `npm test` keeps tests/e2e/blobs.test.ts.
  'tests/e2e/blob-memory.test.ts',
  // A hundred conversations at once.
  'tests/e2e/replicas.test.ts',
  // Each service as a process by itself, started in any order.
  'tests/e2e/service.test.ts',
  // A start of the whole platform for each thing that a configuration can get wrong.
  'tests/e2e/refused-starts.test.ts',
  // Servers that are frozen until calls time out; `npm test` keeps tests/e2e/tools.test.ts.
  'tests/e2e/tool-servers.test.ts',
  // Each kill and each stop of a process of its own; `npm test` keeps tests/e2e/{start,conversation}.test.ts.
  'tests/e2e/graceful.test.ts',
  // Five services as processes; `npm test` keeps the bridge's own suite of its gate.
  'tests/e2e/forged-call.test.ts',
  // Replicas that are killed and frozen; `npm test` keeps packages/rpc/test/{grpc,exchange}.integration.test.ts.
  'packages/rpc/test/balance.integration.test.ts',
  // Platforms that are killed; `npm test` keeps tests/processes/push.test.ts, tests/e2e/{a2a-streams,conversation}.test.ts.
  'tests/e2e/{a2a-restart,push}.test.ts',
  // Both tool servers that come along in place of the official ones; `npm test` keeps tests/e2e/filesystem.test.ts.
  'tests/e2e/swapped-servers.test.ts',
  // A platform that is killed six times, and a package that is made and installed. `npm test` keeps packages/client/test.
  'tests/e2e/client-{restart,package}.test.ts',
  // Tool servers that have models asked; `npm test` keeps services/mcp-bridge/test/samplings.integration.test.ts.
  'tests/e2e/samplings.test.ts',
  // Platforms that are killed while people are asked; `npm test` keeps services/mcp-bridge/test/questions.integration.test.ts.
  'tests/e2e/questions.test.ts',
  // Services that are frozen, or gone, when a question's time ends; `npm test` keeps services/orchestrator/test/driver/due.test.ts.
  'tests/e2e/due-questions.test.ts',
  // Everything that a platform writes is searched, over several starts. `npm test` keeps packages/security/test and tests/e2e/model.test.ts.
  'tests/e2e/secrets.test.ts',
  // `npm test` keeps loops in packages/core/test and tests/e2e/{tree-sequential,tree-parallel,scenarios}.test.ts.
  'tests/e2e/tree-loop.test.ts',
  // Every refusal over each transport. `npm test` keeps tests/e2e/{a2a,a2a-hostile}.test.ts and packages/a2a-agent/test.
  'tests/e2e/a2a-transports.test.ts',
  // Several starts a test. `npm test` keeps services/mcp-bridge/test/pins.integration.test.ts.
  'tests/e2e/pins.test.ts',
  // A gibibyte, 100,000 agents; `npm test` keeps services/registry/test/{git-mirror,sync}.integration.test.ts.
  'services/registry/test/hostile.integration.test.ts',
  // Clones that are installed anew.
  'tests/scripts/{bootstrap,readme}.test.ts',
  // A process for each way to start, to serve and to end. `npm test` keeps each server's own suites, one over standard input and
  // over HTTP too, and tests/e2e/filesystem.test.ts.
  'mcp-servers/*/test/process.integration.test.ts',
];

/**
 * `test:services` leaves these out: what they look at is the same in separate processes, or they start those processes themselves.
 * `npm test` or `test:slow` runs each of them.
 */
export const sameOverServices = [
  // The adapters of the orchestrator, whatever is around it.
  'tests/e2e/providers.test.ts',
  // Tool servers behind the bridge, whatever is around it.
  'tests/e2e/swapped-servers.test.ts',
  // What the configuration says, before anything is started.
  'tests/e2e/refused-starts.test.ts',
  // Three agents, of seven processes each. tests/e2e/delegation.test.ts has one of them over separate processes.
  'tests/e2e/proxy-approvals.test.ts',
  // One process in any case.
  'tests/e2e/client-{restart,package}.test.ts',
  'tests/e2e/{blobs,blob-memory,links}.test.ts',
  // Separate processes in any case.
  'tests/e2e/{service,forged-call,due-questions}.test.ts',
];

/** Most of a file of these runs anywhere; `test:slow` runs the part that needs a nats-server. */
const partlyOnNats = ['cli/test/inspect-store.integration.test.ts'];

/** `npm test` runs a tenth of the seeds of these, or less, or goes one way of several. */
const partOfEach = [
  'tests/simulation/{seeds,tasks,calls}-*.test.ts',
  'mcp-servers/filesystem/test/escapes.test.ts',
  'packages/core/test/properties/*.test.ts',
  'packages/proto/test/codec.test.ts',
  'services/mcp-bridge/test/questions.integration.test.ts',
  'mcp-servers/resources/test/tools.integration.test.ts',
];

/** Everything that is a test. */
const everything = [
  '{packages,services,mcp-servers}/*/test/**/*.test.ts',
  '{offline-model,cli,bench}/test/**/*.test.ts',
  'tests/**/*.test.ts',
];

/** Those that `test:other-node` runs once more: between versions of Node, what is around the language differs. */
const onOtherNode = [
  '{packages,services}/*/test/**/*.integration.test.ts',
  'offline-model/test/**/*.integration.test.ts',
];

/** Patterns of files, and of those among them that are left out. */
export type Files = { readonly include: readonly string[]; readonly exclude: readonly string[] };

/** The files of a tier, of all kinds. */
export function filesOf(tier: Tier): Files {
  switch (tier) {
    case 'all':
      return { include: everything, exclude: [] };
    case 'quick':
      return { include: everything, exclude: [...onNats, ...endToEndOnNats, ...onChromium, ...slow] };
    case 'slow':
      return { include: [...onNats, ...slow, ...partlyOnNats, ...partOfEach], exclude: [] };
    case 'other-node':
      return { include: onOtherNode, exclude: ['services/store/**'] };
  }
}

/** The files of a tier that are of this kind: those that are of no other. */
export function filesOfKindIn(tier: Tier, kind: Kind): Files {
  const { include, exclude } = filesOf(tier);
  const others = kinds.filter((one) => one !== kind).flatMap((one) => filesOfKind[one]);
  return { include, exclude: [...exclude, ...others] };
}

/**
 * Whether each file has a process of its own. Starting one and loading the platform takes longer than most tests, so that files
 * share processes where they leave nothing behind. What several files import is loaded once then, so that it registers no hooks
 * when it is loaded (tests/topology/tiers.test.ts): they would run in the first of the files only. The slow tests run for minutes,
 * and `test:services` runs the end-to-end tests for half an hour: there a file that goes wrong must not take others with it.
 */
export function isIsolated(tier: Tier, kind: Kind): boolean {
  return tier === 'slow' || kind === 'chaos' || (kind === 'e2e' && tier !== 'quick');
}
