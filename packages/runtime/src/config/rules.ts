import { parseDuration, suggest } from '@stopgo/core';
import { isLocalName, isMetadataName, isPublicAddress, literalAddress, placeOf } from '@stopgo/security';
import { bounds, defaults } from './defaults.ts';
import { nameByPlace } from './normalise.ts';
import { type Entry, isMapping, type Mapping, mappingsIn, nodeTypeOf } from './plain-data.ts';
import { formatPath, type Problem, problemAt, quote, type YamlPath } from './problem.ts';
import { repositoryProblems } from './repositories.ts';
import { nodeTypes } from './schema.ts';

/*
 * What several keys must fulfil together. The rules look at the plain data of the file, so that they can tell their
 * problems beside those of the schema: whoever mends a file sees all of them at once.
 */

const childrenTypes: readonly unknown[] = ['sequential', 'parallel', 'loop'];

/** Keys that mean something for some types of node only. */
const keysOfTypes: Readonly<Record<string, readonly string[]>> = {
  agents: ['sequential', 'parallel', 'loop'],
  max_iterations: ['loop'],
  can_exit_loop: ['llm'],
  a2a: ['llm'],
  mcp_servers: ['llm'],
  tools: ['llm'],
  model: ['llm'],
  models: ['llm'],
  prompt: ['llm', 'a2a'],
  url: ['a2a'],
  destructiveHint: ['a2a'],
  token_origins: ['a2a'],
  on_error: ['parallel'],
};

/** Keys that say what is in a sandbox. */
const ofSandbox = ['folders', 'write_folders', 'network'];

/** All problems that the rules find in the file. */
export function ruleProblems(file: Mapping): Problem[] {
  const servers = mappingsIn(file.mcp_servers);
  const problems = [
    ...duplicateNames(servers, ['mcp_servers']),
    ...servers.flatMap(({ value, index }) => {
      const after = servers.find((one) => one.index === index + 1)?.value;
      return transportProblems(value, ['mcp_servers', index], after);
    }),
    ...duplicateNames(mappingsIn(file.a2a), ['a2a']),
    ...duplicateNames(mappingsIn(file.webhooks), ['webhooks']),
    ...webhookProblems(mappingsIn(file.webhooks)),
    ...duplicateNames(mappingsIn(file.agent_repositories), ['agent_repositories']),
    ...repositoryProblems(mappingsIn(file.agent_repositories)),
    ...linkProblems(file),
    ...portProblems(file),
    ...signInProblems(file),
  ];
  if (isMapping(file.mcp)) {
    problems.push(...transportProblems({ name: 'default', ...file.mcp }, ['mcp']));
    if (file.mcp_servers !== undefined) {
      problems.push(
        problemAt(['mcp'], 'cannot stand beside mcp_servers; move it into that list as an entry with a name'),
      );
    }
  }
  if (file.approvals !== undefined && file.approvals_file !== undefined)
    problems.push(problemAt(['approvals_file'], 'cannot stand beside approvals; keep the rules in one of them'));
  if (isMapping(file.llm)) problems.push(...modelsProblems(file.llm, ['llm']));
  if (isMapping(file.agent)) problems.push(...treeProblems(file.agent, ['agent'], serverNames(file)));
  return problems;
}

/** What of an address can be told without asking for its name. */
function webhookProblems(webhooks: readonly Entry[]): Problem[] {
  return webhooks.flatMap(({ value: { url, allow_private: mayBePrivate }, index }) => {
    if (typeof url !== 'string' || !URL.canParse(url)) return [];
    const problem = addressProblem(new URL(url), mayBePrivate === true);
    return problem === undefined ? [] : [problemAt(['webhooks', index, 'url'], problem)];
  });
}

/** A link decides as somebody who signs in, and leads to where people reach the platform. */
function linkProblems(file: Mapping): Problem[] {
  const missing = ['auth', 'public_url'].filter((key) => file[key] === undefined);
  if (missing.length === 0) return [];
  return mappingsIn(file.webhooks)
    .filter(({ value }) => value.link_for !== undefined)
    .map(({ index }) => problemAt(['webhooks', index, 'link_for'], `needs ${missing.join(' and ')} to be set`));
}

function addressProblem({ hostname, protocol }: URL, mayBePrivate: boolean): string | undefined {
  const literal = literalAddress(hostname);
  if (literal === undefined ? isMetadataName(hostname) : placeOf(literal) === 'forbidden')
    return 'is link-local, reserved, or of the metadata service of a cloud: such addresses are never told';
  const isOutside = literal === undefined ? !isLocalName(hostname) : isPublicAddress(literal);
  if (!isOutside && !mayBePrivate)
    return 'is not of the public network; add allow_private: true if an address of your own network is meant';
  if (protocol !== 'https:' && (!mayBePrivate || (literal !== undefined && isOutside)))
    return 'must begin with https://; http:// is for addresses of your own network, with allow_private: true';
  return undefined;
}

/** One port cannot be listened on twice; 0 is another one each time. */
function portProblems({ port = defaults.port, a2a_grpc_port: grpc }: Mapping): Problem[] {
  if (typeof grpc !== 'number' || grpc === 0 || grpc !== port) return [];
  return [problemAt(['a2a_grpc_port'], `is ${grpc}, as port is; HTTP and gRPC need a port each`)];
}

/** Tokens are checked with one thing: a secret, or public keys. */
function signInProblems({ auth }: Mapping): Problem[] {
  if (!isMapping(auth) || !isMapping(auth.jwt)) return [];
  const { jwt } = auth;
  const given = ['secret_env', 'keys_url', 'keys_file'].filter((key) => jwt[key] !== undefined);
  if (given.length === 1) return [];
  const found = given.length === 0 ? 'has none of them' : `has ${given.join(' and ')}`;
  return [problemAt(['auth', 'jwt'], `needs one of secret_env, keys_url and keys_file, and ${found}`)];
}

/** The names of the tool servers, as far as the file gives any. */
function serverNames({ mcp, mcp_servers }: Mapping): string[] {
  const old = isMapping(mcp) ? [{ name: 'default', ...mcp }] : [];
  const all = [...mappingsIn(mcp_servers).map(({ value }) => value), ...old];
  return all.map(({ name }) => name).filter((name) => typeof name === 'string');
}

/** `servers`: the names of the tool servers that nodes may name. */
export function treeProblems(root: Mapping, path: YamlPath, servers: readonly string[]): Problem[] {
  const isTooLarge = nodesIn(root, bounds.treeNodesMax) > bounds.treeNodesMax;
  return isTooLarge
    ? [problemAt(path, `the tree has more than ${bounds.treeNodesMax} nodes`)]
    : nodeProblems(root, path, 1, servers);
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

/** `after`: the next entry of the list. Without a name it may be the rest of this one, with a dash too many. */
function transportProblems(server: Mapping, path: YamlPath, after: Mapping = {}): Problem[] {
  if (typeof server.name !== 'string' || server.name === '') return [];
  const of = ofServer(path, server.name);
  const hasUrl = server.url !== undefined;
  const hasCommand = server.command !== undefined;
  const rest = after.name === undefined ? ['command', 'url'].find((key) => after[key] !== undefined) : undefined;
  const dash = !hasUrl && rest !== undefined ? `; the ${rest} after it has a dash of its own: remove that dash` : '';
  if (hasUrl === hasCommand) return [of(`set either url or command${dash}`)];
  const misplaced = hasUrl ? ['args', 'env', 'sandbox', ...ofSandbox] : ['auth'];
  const belongsTo = hasUrl ? 'command' : 'url';
  const wrong = misplaced
    .filter((key) => server[key] !== undefined)
    .map((key) => of(`${key} is for a server with ${belongsTo}`, key));
  const hasNone = server.sandbox === undefined || server.sandbox === 'off';
  const loose = hasUrl || !hasNone ? [] : ofSandbox.filter((key) => server[key] !== undefined);
  const unsandboxed = loose.map((key) => of(`${key} is for a server with sandbox: required`, key));
  return [...wrong, ...unsandboxed, ...authProblems(server, of), ...limitProblems(server, of)];
}

/** What is said of a server by its name: the message, and the key that it is about. */
type OfServer = (message: string, key?: string) => Problem;

function ofServer(path: YamlPath, name: string): OfServer {
  return (message, key) => ({
    line: `${formatPath(path)} ${quote(name)}: ${message}`,
    place: key === undefined ? path : [...path, key],
  });
}

/** A limit for all of a call that is shorter than the one for a part of it; a default that is, is raised. */
function limitProblems({ timeout = defaults.mcpTimeout, total_timeout: total }: Mapping, of: OfServer): Problem[] {
  const [one, all] = [durationOf(timeout), durationOf(total)];
  if (one === undefined || all === undefined || all >= one) return [];
  const isDefault = timeout === defaults.mcpTimeout ? ' (the default)' : '';
  return [
    of(
      `total_timeout is ${total}, which is shorter than timeout, ${timeout}${isDefault}; set it to at least that, or shorten timeout`,
      'total_timeout',
    ),
  ];
}

function durationOf(value: unknown): number | undefined {
  return typeof value === 'string' || typeof value === 'number' ? parseDuration(value) : undefined;
}

/** Keys that mean something with one kind of `auth` only. */
const keysOfAuth: Readonly<Record<string, readonly string[]>> = {
  token_env: ['static'],
  client_id_env: ['client_credentials', 'oauth'],
  client_secret_env: ['client_credentials', 'oauth'],
  issuer: ['client_credentials', 'oauth'],
  token_url: ['client_credentials'],
  scope: ['client_credentials', 'oauth'],
};

function authProblems(server: Mapping, of: OfServer): Problem[] {
  const needs = (key: string) => (server[key] === undefined ? [of(`auth: ${server.auth} needs ${key}`, 'auth')] : []);
  const misplaced = Object.entries(keysOfAuth)
    .filter(([key, kinds]) => server[key] !== undefined && !kinds.includes(String(server.auth)))
    .map(([key, kinds]) => of(`${key} is for a server with auth: ${kinds.join(' or ')}`, key));
  switch (server.auth) {
    case 'static':
      return [...misplaced, ...needs('token_env')];
    case 'client_credentials': {
      const where = server.issuer === undefined && server.token_url === undefined;
      const missing = where ? [of('auth: client_credentials needs issuer or token_url', 'auth')] : [];
      return [...misplaced, ...needs('client_id_env'), ...needs('client_secret_env'), ...missing];
    }
    case 'oauth': {
      const isSecretAlone = server.client_secret_env !== undefined && server.client_id_env === undefined;
      return [
        ...misplaced,
        ...(isSecretAlone ? [of('client_secret_env needs client_id_env', 'client_secret_env')] : []),
      ];
    }
    default:
      return misplaced;
  }
}

function nodeProblems(node: Mapping, path: YamlPath, depth: number, servers: readonly string[]): Problem[] {
  if (depth > bounds.treeDepthMax) {
    return [problemAt(path, `the tree is deeper than ${bounds.treeDepthMax} levels`)];
  }
  const type = nodeTypeOf(node);
  const children = mappingsIn(node.agents);
  const problems = Object.entries(keysOfTypes)
    .filter(([key, types]) => isNodeType(type) && isSet(node[key]) && !types.includes(type))
    .map(([key, types]) =>
      problemAt(path, `${key} is not for a node of type ${quote(String(type))} (only ${types.join(', ')})`, [
        ...path,
        key,
      ]),
    );
  if (type === 'a2a' && node.url === undefined) problems.push(problemAt([...path, 'url'], 'is required'));
  if (childrenTypes.includes(type) && !isSet(node.agents)) {
    problems.push(problemAt(path, `a node of type ${quote(String(type))} needs at least one entry in agents`));
  }
  problems.push(...modelsProblems(node, path));
  problems.push(...unknownServers(node.mcp_servers, [...path, 'mcp_servers'], servers));
  problems.push(...duplicateNames(mappingsIn(node.a2a), [...path, 'a2a']));
  const named = children.map(({ value, index }) => ({
    index,
    value: { name: value.name ?? nameByPlace(String(nodeTypeOf(value)), index) },
  }));
  problems.push(...duplicateNames(named, [...path, 'agents']));
  for (const { value, index } of children) {
    problems.push(...nodeProblems(value, [...path, 'agents', index], depth + 1, servers));
  }
  return problems;
}

function modelsProblems({ model, models }: Mapping, path: YamlPath): Problem[] {
  if (model === undefined || models === undefined) return [];
  return [problemAt([...path, 'models'], 'cannot stand beside model; name that one first in models')];
}

function unknownServers(named: unknown, path: YamlPath, servers: readonly string[]): Problem[] {
  if (!Array.isArray(named)) return [];
  return named.flatMap((name: unknown, index) => {
    if (typeof name !== 'string' || name === '' || servers.includes(name)) return [];
    const meant = suggest(name, servers);
    const hint =
      meant === undefined ? `known: ${servers.map(quote).join(', ') || 'none'}` : `did you mean ${quote(meant)}?`;
    return [problemAt([...path, index], `there is no tool server ${quote(name)}; ${hint}`)];
  });
}

function duplicateNames(entries: readonly Entry[], path: YamlPath): Problem[] {
  const names = entries.map(({ value }) => value.name).filter((name) => typeof name === 'string' && name !== '');
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  return [...new Set(repeated)].map((name) => {
    const second = entries.filter(({ value }) => value.name === name)[1];
    const place = second === undefined ? path : [...path, second.index];
    return problemAt(path, `duplicate name ${quote(String(name))}`, place);
  });
}

function isNodeType(type: unknown): type is string {
  return nodeTypes.some((known) => known === type);
}

/** An empty list says nothing. */
function isSet(value: unknown): boolean {
  return value !== undefined && !isEmptyList(value);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
