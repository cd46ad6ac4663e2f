import { BOUNDS, DEFAULTS } from './defaults.ts';
import { parseDuration } from './duration.ts';
import { nameByPlace } from './normalise.ts';
import { formatPath, problemLine, quote, type YamlPath } from './problem.ts';
import { NODE_TYPES } from './schema.ts';

/*
 * What several keys must fulfil together. The rules look at the plain data of the file, so that they can tell their
 * problems beside those of the schema: whoever mends a file sees all of them at once.
 */

type Mapping = Readonly<Record<string, unknown>>;

const CHILDREN_TYPES: readonly unknown[] = ['sequential', 'parallel', 'loop'];

/** Keys that mean something for some types of node only. */
const KEYS_OF_TYPES: Readonly<Record<string, readonly string[]>> = {
  agents: ['sequential', 'parallel', 'loop'],
  max_iterations: ['loop'],
  can_exit_loop: ['llm'],
  a2a: ['llm'],
  model: ['llm'],
  prompt: ['llm', 'a2a'],
  url: ['a2a'],
  destructiveHint: ['a2a'],
  token_origins: ['a2a'],
  on_error: ['parallel'],
};

/** All problems that the rules find in the file, one line each. */
export function ruleProblems(file: Mapping): string[] {
  const servers = mappingsIn(file.mcp_servers);
  const problems = [
    ...duplicateNames(servers, ['mcp_servers']),
    ...servers.flatMap(({ value, index }) => transportProblems(value, `${formatPath(['mcp_servers', index])}`)),
    ...duplicateNames(mappingsIn(file.a2a), ['a2a']),
    ...portProblems(file),
  ];
  if (isMapping(file.mcp)) {
    problems.push(...transportProblems({ name: 'default', ...file.mcp }, 'mcp'));
    if (file.mcp_servers !== undefined) {
      problems.push('mcp: cannot stand beside mcp_servers; move it into that list as an entry with a name');
    }
  }
  if (isMapping(file.agent)) problems.push(...treeProblems(file.agent, ['agent']));
  return problems;
}

/** One port cannot be listened on twice; 0 is another one each time. */
function portProblems({ port = DEFAULTS.port, a2a_grpc_port: grpc }: Mapping): string[] {
  if (typeof grpc !== 'number' || grpc === 0 || grpc !== port) return [];
  return [`a2a_grpc_port: is ${grpc}, as port is; HTTP and gRPC need a port each`];
}

function treeProblems(root: Mapping, path: YamlPath): string[] {
  const isTooLarge = nodesIn(root, BOUNDS.treeNodesMax) > BOUNDS.treeNodesMax;
  return isTooLarge
    ? [problemLine(path, `the tree has more than ${BOUNDS.treeNodesMax} nodes`)]
    : nodeProblems(root, path, 1);
}

/** The number of nodes of a tree; counts no further than a few more than `enough`. */
function nodesIn(root: Mapping, enough: number): number {
  const left: Mapping[] = [root];
  let count = 0;
  for (let node = left.pop(); node !== undefined && count <= enough; node = left.pop()) {
    count += 1;
    left.push(...mappingsIn(node.agents).map(({ value }) => value));
  }
  return count;
}

function transportProblems(server: Mapping, where: string): string[] {
  if (typeof server.name !== 'string' || server.name === '') return [];
  const label = `${where} ${quote(server.name)}`;
  const hasUrl = server.url !== undefined;
  const hasCommand = server.command !== undefined;
  if (hasUrl === hasCommand) return [`${label}: set either url or command`];
  const misplaced = hasUrl ? ['args', 'env'] : ['auth'];
  const belongsTo = hasUrl ? 'command' : 'url';
  const wrong = misplaced
    .filter((key) => server[key] !== undefined)
    .map((key) => `${label}: ${key} is for a server with ${belongsTo}`);
  return [...wrong, ...authProblems(server, label), ...limitProblems(server, label)];
}

/** A limit for all of a call that is shorter than the one for a part of it; a default that is, is raised. */
function limitProblems({ timeout = DEFAULTS.mcpTimeout, total_timeout: total }: Mapping, label: string): string[] {
  const [one, all] = [durationOf(timeout), durationOf(total)];
  if (one === undefined || all === undefined || all >= one) return [];
  const isDefault = timeout === DEFAULTS.mcpTimeout ? ' (the default)' : '';
  return [
    `${label}: total_timeout is ${total}, which is shorter than timeout, ${timeout}${isDefault}; set it to at least that, or shorten timeout`,
  ];
}

function durationOf(value: unknown): number | undefined {
  return typeof value === 'string' || typeof value === 'number' ? parseDuration(value) : undefined;
}

/** Keys that mean something with one kind of `auth` only. */
const KEYS_OF_AUTH: Readonly<Record<string, string>> = {
  token_env: 'static',
  client_id_env: 'client_credentials',
  client_secret_env: 'client_credentials',
  issuer: 'client_credentials',
  token_url: 'client_credentials',
  scope: 'client_credentials',
};

function authProblems(server: Mapping, label: string): string[] {
  const needs = (key: string) => (server[key] === undefined ? [`${label}: auth: ${server.auth} needs ${key}`] : []);
  const misplaced = Object.entries(KEYS_OF_AUTH)
    .filter(([key, auth]) => server[key] !== undefined && server.auth !== auth)
    .map(([key, auth]) => `${label}: ${key} is for a server with auth: ${auth}`);
  switch (server.auth) {
    case 'static':
      return [...misplaced, ...needs('token_env')];
    case 'client_credentials': {
      const where = server.issuer === undefined && server.token_url === undefined;
      const missing = where ? [`${label}: auth: client_credentials needs issuer or token_url`] : [];
      return [...misplaced, ...needs('client_id_env'), ...needs('client_secret_env'), ...missing];
    }
    default:
      return misplaced;
  }
}

function nodeProblems(node: Mapping, path: YamlPath, depth: number): string[] {
  if (depth > BOUNDS.treeDepthMax) {
    return [problemLine(path, `the tree is deeper than ${BOUNDS.treeDepthMax} levels`)];
  }
  const type = typeOf(node);
  const children = mappingsIn(node.agents);
  const problems = Object.entries(KEYS_OF_TYPES)
    .filter(([key, types]) => isNodeType(type) && isSet(node[key]) && !types.includes(type))
    .map(([key, types]) =>
      problemLine(path, `${key} is not for a node of type ${quote(String(type))} (only ${types.join(', ')})`),
    );
  if (type === 'a2a' && node.url === undefined) problems.push(problemLine([...path, 'url'], 'is required'));
  if (CHILDREN_TYPES.includes(type) && !isSet(node.agents)) {
    problems.push(problemLine(path, `a node of type ${quote(String(type))} needs at least one entry in agents`));
  }
  problems.push(...duplicateNames(mappingsIn(node.a2a), [...path, 'a2a']));
  const named = children.map(({ value, index }) => ({
    value: { name: value.name ?? nameByPlace(String(typeOf(value)), index) },
  }));
  problems.push(...duplicateNames(named, [...path, 'agents']));
  for (const { value, index } of children) {
    problems.push(...nodeProblems(value, [...path, 'agents', index], depth + 1));
  }
  return problems;
}

/** A node without a type, or with an empty one, is an llm node. */
function typeOf(node: Mapping): unknown {
  return node.type === undefined || node.type === '' ? 'llm' : node.type;
}

function duplicateNames(entries: readonly { readonly value: Mapping }[], path: YamlPath): string[] {
  const names = entries.map(({ value }) => value.name).filter((name) => typeof name === 'string' && name !== '');
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  return [...new Set(repeated)].map((name) => problemLine(path, `duplicate name ${quote(String(name))}`));
}

function mappingsIn(value: unknown): { readonly value: Mapping; readonly index: number }[] {
  if (!Array.isArray(value)) return [];
  return value.map((entry: unknown, index) => ({ value: entry, index })).filter(isMappingEntry);
}

function isMappingEntry(entry: { value: unknown; index: number }): entry is { value: Mapping; index: number } {
  return isMapping(entry.value);
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNodeType(type: unknown): type is string {
  return NODE_TYPES.some((known) => known === type);
}

/** An empty list says nothing. */
function isSet(value: unknown): boolean {
  return value !== undefined && !isEmptyList(value);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
