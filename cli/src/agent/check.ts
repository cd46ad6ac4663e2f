import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { keysOfFile } from '@stopgo/gateway';
import { commandProblem, folderProblem } from '@stopgo/mcp-bridge';
import {
  ConfigError,
  formatPath,
  type LoadedAgentConfig,
  loadAgentConfig,
  messageOf,
  type PlacedParts,
} from '@stopgo/runtime';
import { isLoopback } from '@stopgo/security';
import { hiddenFromToolServers } from '../parts/hidden-files.ts';
import { problemsOfModels } from '../parts/models.ts';
import { repositoryFolderProblem, repositorySecretProblem } from '../parts/registry.ts';
import { tokenSecretProblem } from '../parts/sign-in.ts';
import { sayWhatFollows } from '../parts/start-notes.ts';
import { webhookSecretProblem } from '../parts/webhooks.ts';
import { counted, oneLine, shownName } from '../shown.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** What was found in a file: each with `file:line:column: ` before it, as far as it has a place. */
type Findings = { readonly problems: readonly string[]; readonly notes: readonly string[] };

/**
 * `stopgo check`: every problem that a start would refuse, as far as the file alone can tell, and what is odd, or missing on this machine. Starts
 * nothing and asks nobody. Gives whether the file can be used.
 */
export function check(file: string, env: Variables, print: (line: string) => void): boolean {
  const { loaded, problems, notes } = findingsIn(file, env);
  for (const problem of inOrder(file, problems)) print(oneLine(problem));
  for (const note of notes) print(oneLine(`note: ${note}`));
  if (loaded === undefined || problems.length > 0) {
    print(oneLine(`${file}: ${counted(problems.length, 'problem')}`));
    return false;
  }
  const { name, mcpServers, host, port, dataDir } = loaded.config;
  const servers = counted(mcpServers.length, 'tool server');
  print(
    oneLine(`${file}: sound; the agent ${shownName(name)} with ${servers}, on ${host}:${port}, data in ${dataDir}`),
  );
  return true;
}

/** As they stand in the file; those without a place first. */
function inOrder(file: string, problems: readonly string[]): string[] {
  const placeOf = (problem: string): readonly number[] =>
    /^:(\d+):(\d+): /.exec(problem.slice(file.length))?.slice(1).map(Number) ?? [0, 0];
  return problems.toSorted((one, other) => {
    const [[line = 0, column = 0], [otherLine = 0, otherColumn = 0]] = [placeOf(one), placeOf(other)];
    return line - otherLine || column - otherColumn;
  });
}

function findingsIn(file: string, env: Variables): Findings & { readonly loaded?: LoadedAgentConfig } {
  const read = loadedOrRefused(file);
  const refused = read instanceof ConfigError;
  const problems = refused ? [...read.located] : [];
  const notes = refused ? [] : [...read.locatedWarnings];
  if (read.named !== undefined) {
    modelFindings(read.named, env, problems, notes);
    serverFindings(read.named, env, problems, notes);
    secretFindings(read.named, env, problems, notes);
  }
  if (refused) return { problems, notes };
  const { config } = read;
  folderFindings(read, problems, notes);
  repositoryFindings(read, notes);
  const note = (line: string): void => void notes.push(`${file}: ${line}`);
  sayWhatFollows(config, { info: note, warn: note });
  if (config.auth === undefined && !isLoopback(config.host))
    notes.push(
      read.named.locate(
        ['host'],
        `host ${config.host} is listened on without authentication: whoever reaches the port can read, start and approve everything; set auth`,
      ),
    );
  return { problems, notes, loaded: read };
}

function loadedOrRefused(file: string): LoadedAgentConfig | ConfigError {
  try {
    return loadAgentConfig(file, { readFile: (path) => readFileSync(path, 'utf8') });
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

/** Names of models that cannot be; what the environment lacks for the others, once for each model. */
function modelFindings(
  { models, providers, locate }: PlacedParts,
  env: Variables,
  problems: string[],
  notes: string[],
): void {
  const told = new Set<string>();
  for (const { model, place } of models) {
    const refused = problemsOfModels([model], { env, offlineModel: 'http://127.0.0.1:1' }, providers);
    problems.push(...refused.map((problem) => locate(place, problem)));
    if (told.has(model) || refused.length > 0) continue;
    told.add(model);
    for (const lacking of problemsOfModels([model], { env }, providers))
      notes.push(locate(place, `${lacking}; set it before you start, or start with --demo`));
  }
}

function serverFindings({ servers, locate }: PlacedParts, env: Variables, problems: string[], notes: string[]): void {
  for (const { name, place, start, variables } of servers) {
    const of = name === '' ? formatPath(place) : `${formatPath(place)} ${JSON.stringify(name)}`;
    if (start !== undefined) {
      const problem = commandProblem(start);
      if (problem !== undefined) problems.push(locate([...place, 'command'], `${of}: ${problem}`));
      else if (!isProgram(start.command, { ...env, ...start.env }))
        notes.push(locate([...place, 'command'], `${of}: there is no program ${JSON.stringify(start.command)} here`));
    }
    for (const variable of variables)
      if ((env[variable]?.trim() ?? '') === '')
        notes.push(locate(place, `${of}: the environment variable ${variable} is not set; set it before you start`));
  }
}

/** Folders that a tool server in a sandbox cannot be shown, or that are not there. */
function folderFindings({ config, named }: LoadedAgentConfig, problems: string[], notes: string[]): void {
  const around = { cwd: process.cwd(), hidden: hiddenFromToolServers(config) };
  for (const [index, { name, transport }] of config.mcpServers.entries()) {
    const place = named.servers[index]?.place ?? [];
    const { folders = [], writeFolders = [] } = (transport.kind === 'stdio' ? transport.sandbox : undefined) ?? {};
    const all = [...folders.entries()].map(([at, path]) => ({ path, at: ['folders', at] }));
    const more = [...writeFolders.entries()].map(([at, path]) => ({ path, at: ['write_folders', at] }));
    for (const { path, at } of [...all, ...more]) {
      const problem = folderProblem(path, around);
      if (problem === undefined) continue;
      const line = `${formatPath(place)} ${JSON.stringify(name)}: ${problem.text}`;
      (problem.isMissing ? notes : problems).push(named.locate([...place, ...at], line));
    }
  }
}

/** Repositories in folders that are not there, or that the registry may not read. */
function repositoryFindings({ config, named }: LoadedAgentConfig, notes: string[]): void {
  for (const [index, { gitUrl }] of config.agentRepositories.entries()) {
    const problem = repositoryFolderProblem(gitUrl, config);
    if (problem === undefined) continue;
    const place = ['agent_repositories', index, 'git_url'];
    notes.push(named.locate(place, `${formatPath(place.slice(0, 2))}: ${problem}`));
  }
}

const problemOfSecret = {
  webhook: webhookSecretProblem,
  tokens: tokenSecretProblem,
  repository: repositorySecretProblem,
} as const satisfies Record<PlacedParts['secrets'][number]['of'], unknown>;

/** Secrets of the environment that are not set, or none; a file of keys that cannot be used. */
function secretFindings(
  { secrets, keysFile, locate }: PlacedParts,
  env: Variables,
  problems: string[],
  notes: string[],
): void {
  for (const { of, variable, place } of secrets) {
    const problem = problemOfSecret[of](variable, env[variable]);
    const isSet = (env[variable]?.trim() ?? '') !== '';
    if (problem !== undefined) (isSet ? problems : notes).push(locate(place, `${formatPath(place)}: ${problem}`));
  }
  if (keysFile === undefined) return;
  try {
    keysOfFile(keysFile.path);
  } catch (error) {
    problems.push(locate(keysFile.place, messageOf(error)));
  }
}

/** True if a command would find a program to start: at its path, or in one of the folders of PATH. */
function isProgram(command: string, { PATH = '' }: Variables): boolean {
  const candidates = command.includes('/') ? [command] : PATH.split(delimiter).map((folder) => join(folder, command));
  return candidates.some((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
