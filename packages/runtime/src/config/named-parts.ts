import { bounds, defaults } from './defaults.ts';
import { isMapping, type Mapping, mappingsIn, nodeTypeOf } from './plain-data.ts';
import type { YamlPath } from './problem.ts';
import { provider, providerSchema } from './providers.ts';
import { variableOf } from './references.ts';
import { isVariableName } from './shapes.ts';
import type { ProviderConfig } from './types.ts';

/** A model, and the place that names it. */
export type NamedModel = { readonly model: string; readonly place: YamlPath };

/** What a tool server needs to be there, and the place of the server. */
export type NamedServer = {
  readonly place: YamlPath;
  /** Empty if the file gives none. */
  readonly name: string;
  /** Absent if it is reached over HTTP. */
  readonly start?: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
  /** The environment variables that hold its credentials. */
  readonly variables: readonly string[];
};

/** A secret of the platform in an environment variable, and the place that names it. */
export type NamedSecret = {
  readonly of: 'webhook' | 'tokens' | 'repository';
  readonly variable: string;
  readonly place: YamlPath;
};

/** What a file names that lives elsewhere. */
export type NamedParts = {
  readonly models: readonly NamedModel[];
  /** Providers that models may name, as far as they are written in the right form. */
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  readonly servers: readonly NamedServer[];
  readonly secrets: readonly NamedSecret[];
  /** The file with the public keys that tokens are signed with. */
  readonly keysFile?: { readonly path: string; readonly place: YamlPath };
};

/** What a file names, and `file:line:column: ` of a place of it put before a line about it. */
export type PlacedParts = NamedParts & { readonly locate: (place: YamlPath, line: string) => string };

/**
 * The models and tool servers that the plain data of a file names, as far as they are written in the right form: so that they can be looked
 * at also in a file that has problems, and whoever mends it sees all of them at once.
 */
export function namedParts(file: Mapping): NamedParts {
  const old = isMapping(file.mcp) ? [serverOf({ name: 'default', ...file.mcp }, ['mcp'])] : [];
  const listed = mappingsIn(file.mcp_servers).map(({ value, index }) => serverOf(value, ['mcp_servers', index]));
  const keysFile = textOf(jwtOf(file).keys_file);
  return {
    models: modelsOf(file),
    providers: providersOf(file),
    servers: [...listed, ...old],
    secrets: secretsOf(file),
    ...(keysFile === undefined ? {} : { keysFile: { path: keysFile, place: ['auth', 'jwt', 'keys_file'] } }),
  };
}

function providersOf({ providers }: Mapping): NamedParts['providers'] {
  const known = Object.entries(isMapping(providers) ? providers : {}).flatMap(([name, value]) => {
    const parsed = providerSchema.safeParse(value);
    return parsed.success ? [[name, provider(parsed.data)] as const] : [];
  });
  return Object.fromEntries(known);
}

function secretsOf(file: Mapping): NamedSecret[] {
  const webhooks = mappingsIn(file.webhooks).map(
    ({ value, index }) => ['webhook', value.secret_env, ['webhooks', index, 'secret_env']] as const,
  );
  const tokens = ['tokens', jwtOf(file).secret_env, ['auth', 'jwt', 'secret_env']] as const;
  const ofRepositories = mappingsIn(file.agent_repositories).flatMap(({ value, index }) =>
    (['auth_token', 'webhook_secret'] as const).map(
      (key) => ['repository', variableOf(textOf(value[key]) ?? ''), ['agent_repositories', index, key]] as const,
    ),
  );
  // What looks like the secret itself is not repeated.
  return [...webhooks, ...ofRepositories, tokens].flatMap(([of, variable, place]) =>
    typeof variable === 'string' && isVariableName(variable) ? [{ of, variable, place }] : [],
  );
}

const jwtOf = ({ auth }: Mapping): Mapping => (isMapping(auth) && isMapping(auth.jwt) ? auth.jwt : {});

/** Each place once: nodes without a model of their own share that of the top level. */
function modelsOf(file: Mapping): NamedModel[] {
  const usual = isMapping(file.llm) && file.llm.model !== undefined ? textOf(file.llm.model) : defaults.model;
  const models: NamedModel[] = [];
  const usualList = isMapping(file.llm) ? listedModels(file.llm, ['llm']) : [];
  let isUsualTold = usual === undefined && usualList.length === 0;
  let nodes = 0;
  for (const { node, path } of nodesOf(isMapping(file.agent) ? file.agent : {}, ['agent'])) {
    // More are a problem of their own.
    if (nodes++ >= bounds.treeNodesMax) break;
    if (nodeTypeOf(node) !== 'llm') continue;
    const own = textOf(node.model);
    if (own !== undefined) models.push({ model: own, place: [...path, 'model'] });
    models.push(...listedModels(node, path));
    if (node.model !== undefined || node.models !== undefined || isUsualTold) continue;
    if (usualList.length > 0) models.push(...usualList);
    else if (usual !== undefined) models.push({ model: usual, place: ['llm', 'model'] });
    isUsualTold = true;
  }
  return models;
}

const listedModels = ({ models }: Mapping, path: YamlPath): NamedModel[] =>
  (Array.isArray(models) ? models : []).flatMap((one: unknown, index) => {
    const model = textOf(one);
    return model === undefined ? [] : [{ model, place: [...path, 'models', index] }];
  });

function* nodesOf(node: Mapping, path: YamlPath): Generator<{ readonly node: Mapping; readonly path: YamlPath }> {
  yield { node, path };
  for (const { value, index } of mappingsIn(node.agents)) yield* nodesOf(value, [...path, 'agents', index]);
}

function serverOf(server: Mapping, place: YamlPath): NamedServer {
  const { name, url, command, args, env, token_env, client_id_env, client_secret_env } = server;
  const program = url === undefined ? textOf(command) : undefined;
  return {
    place,
    name: textOf(name) ?? '',
    ...(program === undefined
      ? {}
      : { start: { command: program, args: textsIn(args), env: isMapping(env) ? textByName(env) : {} } }),
    // What looks like the secret itself is not repeated.
    variables: textsIn([token_env, client_id_env, client_secret_env]).filter(isVariableName),
  };
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

const textByName = (env: Mapping): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
