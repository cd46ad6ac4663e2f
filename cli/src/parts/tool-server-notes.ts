import { readFileSync } from 'node:fs';
import type { AgentConfig, Logger } from '@stopgo/runtime';
import { credentialsOf } from './secrets.ts';

/** Our secrets beside the credentials that a configuration names. */
const ownVariables = ['STOPGO_INTERNAL_TOKEN', 'STOPGO_PUSH_KEY', 'STOPGO_ACCOUNT_KEY', 'NATS_URL'] as const;

/** Processes above this one that are looked at, at most. */
const aboveMax = 16;

type Read = (path: string) => string;
type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Says once which tool servers run as any program of this user, what such a program can do, and where it could read secrets without
 * any effort: in the environment that a process above this one was started with.
 */
export function sayWhatToolServersCan(
  config: AgentConfig,
  env: Variables,
  logger: Pick<Logger, 'info' | 'warn'>,
  { pid, read }: { readonly pid: number; readonly read: Read } = { pid: process.pid, read: readText },
): void {
  const loose = config.mcpServers.filter(
    ({ transport }) => transport.kind === 'stdio' && transport.sandbox === undefined,
  );
  if (loose.length === 0) return;
  const names = loose.map(({ name }) => `"${name}"`).join(', ');
  const shown = showing(secretsOf(config, env), pid, read);
  const decide = config.auth === undefined ? ', approve calls at the port' : '';
  const them = `tool servers in no sandbox: ${names}. They can do what this user can: read its files${decide}`;
  if (shown.length === 0) logger.info(`${them} (docs/deployment.md#tool-servers-on-the-same-machine)`);
  else
    logger.warn(
      `${them}, and read keys in the environment of ${shown.join(', ')}; start with stopgo, from a shell or supervisor that has no keys in its own (docs/deployment.md#tool-servers-on-the-same-machine)`,
    );
}

function secretsOf(config: AgentConfig, env: Variables): readonly string[] {
  const own = ownVariables.map((name) => env[name]?.trim() ?? '');
  return [...credentialsOf(config, env), ...own].filter((secret) => secret !== '');
}

/** The processes, from `pid` upwards, in whose environment one of the secrets stands, as far as they can be looked at. */
function showing(secrets: readonly string[], pid: number, read: Read): readonly string[] {
  const found: string[] = [];
  let at = pid;
  for (let above = 0; at > 0 && above < aboveMax; above += 1) {
    const environment = read(`/proc/${at}/environ`);
    // "PID (NAME) STATE PARENT …": a name may hold anything, brackets too.
    const [, name = '', parent = ''] = /^\d+ \((.*)\) \S (\d+) /s.exec(read(`/proc/${at}/stat`)) ?? [];
    if (secrets.some((secret) => environment.includes(secret)))
      found.push(`${name.replace(/[^\x20-\x7e]/g, '?')} (process ${at})`);
    at = Number(parent);
  }
  return found;
}

/** Empty if there is no such file, or it may not be read. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
