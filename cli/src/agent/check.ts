import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { commandProblem } from '@stopgo/mcp-bridge';
import {
  type AgentConfig,
  type AgentNodeConfig,
  ConfigError,
  type LoadedAgentConfig,
  loadAgentConfig,
} from '@stopgo/runtime';
import { isLoopback } from '@stopgo/security';
import { modelProblems } from '../parts/models.ts';
import { sayWhatFollows } from '../parts/start-notes.ts';
import { counted, oneLine, shownName } from '../shown.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** What was found in a file: each with `file:line:column: ` before it, as far as it has a place. */
type Findings = { readonly problems: readonly string[]; readonly notes: readonly string[] };

/**
 * `stopgo check`: every problem that a start would refuse, as far as the file alone can tell, and what is odd but allowed. Starts
 * nothing and asks nobody. Gives whether the file can be used.
 */
export function check(file: string, env: Variables, print: (line: string) => void): boolean {
  const { loaded, problems, notes } = findingsIn(file, env);
  for (const problem of problems) print(oneLine(problem));
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

function findingsIn(file: string, env: Variables): Findings & { readonly loaded?: LoadedAgentConfig } {
  let loaded: LoadedAgentConfig;
  try {
    loaded = loadAgentConfig(file, { readFile: (path) => readFileSync(path, 'utf8') });
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.located, notes: [] };
    throw error;
  }
  const problems: string[] = [];
  const notes = [...loaded.locatedWarnings];
  modelFindings(loaded, env, problems, notes);
  serverFindings(loaded, env, problems, notes);
  const { config } = loaded;
  const note = (line: string): void => void notes.push(`${file}: ${line}`);
  sayWhatFollows(config, { info: note, warn: note });
  if (!isLoopback(config.host))
    notes.push(
      loaded.locate(
        ['host'],
        `host ${config.host} is listened on without authentication: whoever reaches the port can approve`,
      ),
    );
  return { problems, notes, loaded };
}

/** Names of models that cannot be; what the environment lacks for the others, once for each model. */
function modelFindings(
  { config, locate }: LoadedAgentConfig,
  env: Variables,
  problems: string[],
  notes: string[],
): void {
  const told = new Set<string>();
  for (const { model, place } of modelsIn(config.agent, ['agent'], config)) {
    const refused = modelProblems({ config, env, offlineModel: 'http://127.0.0.1:1' }, [model]);
    problems.push(...refused.map((problem) => locate(place, problem)));
    if (told.has(model) || refused.length > 0) continue;
    told.add(model);
    for (const lacking of modelProblems({ config, env }, [model]))
      notes.push(locate(place, `${lacking}; set it before you start, or start with --demo`));
  }
}

type NamedModel = { readonly model: string; readonly place: readonly (string | number)[] };

function modelsIn(node: AgentNodeConfig, path: readonly (string | number)[], config: AgentConfig): NamedModel[] {
  if (node.type === 'a2a') return [];
  if (node.type !== 'llm')
    return node.agents.flatMap((child, index) => modelsIn(child, [...path, 'agents', index], config));
  return [{ model: node.model, place: node.model === config.llm.model ? ['llm', 'model'] : [...path, 'model'] }];
}

function serverFindings(
  { config, locate }: LoadedAgentConfig,
  env: Variables,
  problems: string[],
  notes: string[],
): void {
  config.mcpServers.forEach(({ name, transport }, index) => {
    const at = ['mcp_servers', index];
    const of = `mcp_servers[${index}] ${JSON.stringify(name)}`;
    if (transport.kind === 'stdio') {
      const problem = commandProblem(transport);
      if (problem !== undefined) problems.push(locate([...at, 'command'], `${of}: ${problem}`));
      else if (!isProgram(transport.command, { ...env, ...transport.env }))
        notes.push(locate([...at, 'command'], `${of}: there is no program ${JSON.stringify(transport.command)} here`));
      return;
    }
    const { tokenVariable, login } = transport;
    for (const variable of [tokenVariable, login?.idVariable, login?.secretVariable])
      if (variable !== undefined && (env[variable]?.trim() ?? '') === '')
        notes.push(locate(at, `${of}: the environment variable ${variable} is not set; set it before you start`));
  });
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
