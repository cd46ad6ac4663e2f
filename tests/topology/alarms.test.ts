import { expect, test } from 'vitest';
import { type Repository, readRepository, sources, withFile } from './repository.ts';

// Every line of level warn or error that a service can write stands in the table of this page, and nothing else does.
const page = 'docs/operations.md';
/** Programs that run beside the platform and log in their own way. */
const beside = /^(offline-model|mcp-servers|bench|tests|scripts)\//;
const call = /\b(?:log|logger|#log)\.(warn|error)\(\s*(?:`((?:[^`\\]|\\.)*)`|'((?:[^'\\]|\\.)*)'|([\w.]+))/g;

/** What is logged in other words than its own: the file, the expression, and what the page calls it. */
const madeElsewhere: Readonly<Record<string, string>> = {
  'services/mcp-bridge/src/servers/open-at-start.ts reasonOf': 'errors stopping …',
  'services/orchestrator/src/start.ts line': 'each request to the model of … carries … of tool definitions, … tools: …',
  'services/store/src/start-on-nats.ts messageOf': 'errors stopping …',
  'cli/src/services/launcher/launcher.ts messageOf': 'errors stopping …',
  'cli/src/services/service-process.ts messageOf': 'errors stopping …',
  'cli/src/start/one-process.ts String': 'errors stopping …',
  'cli/src/start/command.ts String': 'errors stopping …',
  'cli/src/start/command.ts warning': 'a warning of the configuration',
  'cli/src/services/service-command.ts warning': 'a warning of the configuration',
  'cli/src/services/launcher/services-command.ts warning': 'a warning of the configuration',
  'cli/src/services/launcher/nats/server-log.ts text': 'a line of nats-server',
  'cli/src/parts/gateway.ts text':
    'listening on … without authentication: whoever reaches this port can read every conversation, have the agent work and approve every call; set "auth", or "host" to 127.0.0.1 to keep it to this machine',
};

const withGaps = (template: string): string =>
  template.replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '…').replaceAll('\\`', '`');

function written(repository: Repository): string[] {
  const found = sources(repository)
    .filter(([path]) => path.includes('/src/') && !beside.test(path))
    .flatMap(([path, source]) =>
      [...source.matchAll(call)].map(([, level, template, text, expression]) => {
        const elsewhere = `${path} ${expression}`;
        return `${level} ${template === undefined ? (text ?? madeElsewhere[elsewhere] ?? elsewhere) : withGaps(template)}`;
      }),
    );
  return [...new Set(found)].sort();
}

function explained(repository: Repository): string[] {
  const rows = [...(repository.get(page) ?? '').matchAll(/^\| (warn|error) \| (`+)(.+?)\2 \|/gm)];
  return rows.map(([, level, , text = '']) => `${level} ${text.trim()}`).sort();
}

const repository = readRepository();

test('the page of operations explains each alarm, and no other', () => {
  expect(explained(repository)).toEqual(written(repository));
});

test.each([
  ['a constant text', "log.warn('the sky falls', { reason })", 'warn the sky falls'],
  [
    'a text with gaps',
    'this.#log.error(`#{name} is at #{{ a }.a} %`)'.replaceAll('#{', '$'.concat('{')),
    'error … is at … %',
  ],
  ['a text of somewhere else', 'options.logger.warn(surprise)', 'warn services/store/src/mutant.ts surprise'],
])('%s is seen', (_, source, alarm) => {
  expect(written(withFile(repository, 'services/store/src/mutant.ts', source))).toContain(alarm);
});
