import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const folder = 'tests/e2e';

/** Why whole files of the end-to-end tests cannot be run on the composition. */
export const leftOutFiles: Readonly<Record<string, string>> = {
  'a2a-contexts.test.ts': 'kills the platform and starts it again; a port for gRPC',
  'a2a-extensions.test.ts': 'has a configuration of its own: extensions, an extended card',
  'a2a-fuzz.test.ts': 'has a configuration of its own: a port for gRPC',
  'a2a-gateways.test.ts': 'is about two gateways that the launcher starts',
  'a2a-hostile.test.ts': 'has a configuration of its own: small bodies, a port for gRPC',
  'a2a-lost-answer.test.ts': 'has configurations of its own: a tree with another agent',
  'a2a-questions.test.ts': 'has tool servers of its own',
  'a2a-races.test.ts': 'has a configuration of its own: small bodies',
  'a2a-restart.test.ts': 'kills the platform and starts it again',
  'a2a-streams.test.ts': 'has a configuration of its own: few open streams',
  'a2a-tokens.test.ts': 'has tool servers and agents of its own',
  'a2a-transports.test.ts': 'has a configuration of its own: a port for gRPC',
  'alarms.test.ts': 'has a tool server of its own, which does not start',
  'agents.test.ts': 'has a repository of its own',
  'agents-signed-in.test.ts': 'has a repository of its own; people sign in',
  'called-agents.test.ts': 'has a repository of its own',
  'given-files.test.ts': 'has a repository of its own',
  'api-keys.test.ts': 'has a configuration of its own: people sign in',
  'asked-inputs.test.ts': 'has tool servers of its own; people sign in',
  'arguments.test.ts': 'has a model and a tool server of its own',
  'blob-memory.test.ts': 'runs a platform in its own process, to look at its memory',
  'blobs.test.ts': 'runs a platform in its own process',
  'callbacks.test.ts': 'starts two agents of its own',
  'client-package.test.ts': 'is about a package, beside the platform',
  'client-restart.test.ts': 'kills the platform and starts it again',
  'cli.test.ts': 'reads the embedded log of a platform that it has stopped',
  'connections.test.ts': 'has a tool server of its own, and an authorization server',
  'cost.test.ts': 'counts calls from inside of the process',
  'delegation.test.ts': 'has configurations of its own: trees with agents of the test',
  'disk-full.test.ts': 'fills a disk of its own',
  'edit.test.ts': 'has a model, a tool server and rules of its own',
  'due-questions.test.ts': 'has a tool server of its own, freezes and kills services',
  'fault.test.ts': 'breaks appends from inside of the process',
  'forged-call.test.ts': 'starts services one by one, to speak to them over gRPC',
  'filesystem.test.ts': 'has a tool server of its own',
  'hostile-server.test.ts':
    'has a tool server of its own, beside the platform; hostile.ts runs the same program in the container of the bridge',
  'model.test.ts': 'has configurations of its own: models, time-outs, a model that demands its signatures',
  'pins.test.ts': 'restarts the platform, with configurations of its own',
  'principals.test.ts': 'has tool servers of its own',
  'proxy-approvals.test.ts': 'starts several agents of its own; chain.ts does this with containers',
  'fallback.test.ts': 'has configurations of its own: providers, one of which is down',
  'providers.test.ts': 'has configurations of its own: trees, models of every provider',
  'push.test.ts': 'has a configuration of its own: private addresses may be told',
  'questions.test.ts': 'has tool servers of its own, kills them and the platform',
  'records.test.ts': 'has a model and a tool server of its own',
  'refused-starts.test.ts': 'has configurations of its own, all of them refused',
  'samplings.test.ts': 'has tool servers of its own, kills services, reads the embedded log',
  'run-control.test.ts': 'has a repository of its own',
  'rules.test.ts': 'has a configuration of its own: rules',
  'scenarios.test.ts': 'has configurations of its own: trees',
  'secrets.test.ts': 'has tool servers of its own; what each container knows and logs is looked at by isolation.ts',
  'webhooks.test.ts': 'has a configuration of its own: webhooks, whose receivers are in the process of the test',
  'webhook-links.test.ts': 'has a configuration of its own: a webhook, whose receiver is in the process of the test',
  'inbox-events.test.ts': 'kills the platform and starts it again',
  'inbox.test.ts': 'has a configuration of its own: people sign in, rules',
  'links.test.ts': 'has a configuration of its own, and asks a service itself, in one process',
  'quorum.test.ts': 'has a configuration of its own: rules, and people who sign in',
  'sign-in.test.ts': 'has a configuration of its own: people sign in',
  'service.test.ts': 'starts services one by one over the embedded log, and sees them refuse',
  'services.test.ts': 'is about the launcher of separate processes',
  'services-cost.test.ts': 'counts the calls of separate processes by their logs',
  'start.test.ts': 'has configurations of its own, some of them refused',
  'support-story.test.ts': 'has a repository of its own; freezes and kills the registry',
  'swapped-servers.test.ts': 'has tool servers of its own',
  'tool-server-replicas.test.ts': 'is about the launcher of separate processes',
  'tool-servers.test.ts': 'has tool servers of its own',
  'two-policies.test.ts': 'starts services one by one, with two configurations of its own',
  'tool-selection.test.ts': 'has a configuration of its own: a tree, and a tool server whose tools are selected',
  'tools.test.ts': 'has tool servers of its own',
  'tree-loop.test.ts': 'has configurations of its own: trees',
  'tree-parallel.test.ts': 'has configurations of its own: trees',
  'tree-sequential.test.ts': 'has configurations of its own: trees',
  'tree-services.test.ts': 'is about the launcher of separate processes',
};

/** Why single tests of the other files cannot. */
export const leftOutTests: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a2a.test.ts': {
    'stand at both paths, in the version asked for': 'has a configuration of its own: a name',
  },
  'conversation.test.ts': {
    'it says what it starts': 'looks at the output of a tool server of its own',
  },
  'concurrency.test.ts': {
    'is answered with 202 when the run takes longer than sync_wait':
      'has a configuration of its own: a short sync_wait',
  },
  'graceful.test.ts': {
    'SIGTERM lets a running request finish, takes no new one, ends every child, and what was there is there again':
      'looks at the processes and their output; slow-stop.ts does this with containers',
    'a run that nobody waits for may finish too': 'looks at the output; slow-stop.ts does this with containers',
    'a second signal ends it at once, its children too; what ran is in doubt afterwards, and never runs by itself':
      'is about signals of a terminal',
  },
};

/** What is run on the composition: files, and a pattern that the names of tests must match. */
export type Selection = { readonly files: readonly string[]; readonly pattern: string };

/** All end-to-end tests but those named above. tests/topology/left-out.test.ts checks that those are there. */
export function selection(): Selection {
  const all = readdirSync(join(import.meta.dirname, '../..', folder)).filter((name) => name.endsWith('.test.ts'));
  const names = Object.values(leftOutTests).flatMap((named) => Object.keys(named));
  return {
    files: all.filter((name) => leftOutFiles[name] === undefined).map((name) => join(folder, name)),
    pattern: `^(?!.*(?:${names.map(escaped).join('|')})$)`,
  };
}

/** One line for each of them. */
export function leftOutLines(): string[] {
  return [
    ...Object.entries(leftOutFiles).map(([file, reason]) => `${file}: ${reason}`),
    ...Object.entries(leftOutTests).flatMap(([file, named]) =>
      Object.entries(named).map(([name, reason]) => `${file}, "${name}": ${reason}`),
    ),
  ];
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
