import { dirname, resolve } from 'node:path';
import { needsIdentity, type Policy, readPolicy, restOnClaimedName, unreachableApprovers } from '@stopgo/core';
import { type Document, isMap, LineCounter, parseDocument, visit } from 'yaml';
import { characterProblems } from './characters.ts';
import { ConfigError } from './config-error.ts';
import { bounds } from './defaults.ts';
import { namedParts, type PlacedParts } from './named-parts.ts';
import { normalise } from './normalise.ts';
import { positionOf } from './places.ts';
import { mappingsIn } from './plain-data.ts';
import { approvalsProblems, parsePolicy } from './policy.ts';
import { parsePrices } from './prices.ts';
import { inYamlWords, type Problem, problemAt } from './problem.ts';
import { repositoryWarnings } from './repositories.ts';
import { ruleProblems } from './rules.ts';
import { fileSchema } from './schema.ts';
import { treeWarnings } from './tree-warnings.ts';
import type { AgentConfig } from './types.ts';
import { issueProblems } from './unknown-keys.ts';
import { aliasSlip, type Slip, slipsOf } from './yaml-slips.ts';

/** Anchors of a YAML file may be referred to this often; more is taken for a bomb. */
const aliasesMax = 100;

/** A configuration that can be used, and what its author should know about it (one line each). */
export type LoadedAgentConfig = {
  readonly config: AgentConfig;
  readonly warnings: readonly string[];
  /** The same with `file:line:column: ` before each. */
  readonly locatedWarnings: readonly string[];
  readonly named: PlacedParts;
};

/** Gives the text of a file, or throws as `node:fs` does. */
export type ReadFile = (path: string) => string;

/**
 * Reads and checks the configuration of one agent: parsed, validated, defaults filled in, frozen.
 *
 * Throws `ConfigError` with every problem of the file at once, one line each. The first words tell the kind:
 * `failed to read config file: …`, `failed to parse config file: …` (YAML syntax, with line and column), else the
 * place in the file (`mcp_servers[0]: name is required`).
 */
export function loadAgentConfig(path: string, dependencies: { readonly readFile: ReadFile }): LoadedAgentConfig {
  let source: string;
  try {
    source = dependencies.readFile(path);
  } catch (error) {
    throw new ConfigError(path, [`failed to read config file: ${readFailure(path, error)}`]);
  }
  return parseAgentConfig(source, path, dependencies);
}

/**
 * The same for a text already read, without a word of what has no effect yet. `path` names the file in errors, and tells where the files
 * are that it names; without dependencies none may be named.
 */
export function parseAgentConfig(
  source: string,
  path: string,
  dependencies?: { readonly readFile: ReadFile },
): LoadedAgentConfig {
  const { file, written, warnings, locate, inOrder } = parseYaml(source, path);
  const named: PlacedParts = { ...namedParts(file), locate: (place, line) => locate({ place, line }) };
  const refuse = (problems: readonly Problem[]) =>
    new ConfigError(
      path,
      problems.map(({ line }) => line),
      inOrder(problems).map(locate),
      named,
    );
  const parsed = fileSchema.safeParse(file);
  const problems = parsed.success
    ? []
    : parsed.error.issues.flatMap((issue) => issueProblems(fileSchema, issue, written));
  const webhooks = mappingsIn(file.webhooks).flatMap(({ value: { name } }) => (typeof name === 'string' ? [name] : []));
  const approvals = file.approvals === undefined ? undefined : readPolicy(file.approvals, webhooks);
  if (approvals?.kind === 'problems') problems.push(...approvalsProblems(approvals.problems));
  problems.push(...ruleProblems(file), ...characterProblems(file), ...emptyGuards(written));
  if (!parsed.success || problems.length > 0) throw refuse(problems);
  const odd = [...treeWarnings(parsed.data), ...repositoryWarnings(parsed.data.agent_repositories ?? [])];
  if (file.mcp !== undefined) {
    const message =
      'this key is deprecated; it was read as one server named "default". Write it as an entry of mcp_servers, with a name';
    odd.unshift(problemAt(['mcp'], message));
  }
  const own = approvals?.kind === 'policy' ? approvals.policy : undefined;
  const from = { path, dependencies };
  const rulesOf = (text: string, at: string): Policy => parsePolicy(text, at, webhooks);
  const policy = own ?? namedFile('approvals_file', parsed.data.approvals_file, from, { read: rulesOf, refuse });
  const prices = namedFile('prices_file', parsed.data.prices_file, from, { read: parsePrices, refuse });
  const rulesKey = own === undefined ? 'approvals_file' : 'approvals';
  const identity = policy === undefined || parsed.data.auth !== undefined ? undefined : needsIdentity(policy);
  if (identity !== undefined) {
    throw refuse([problemAt([rulesKey], `${identity}, which needs auth: nobody can prove it where nobody signs in`)]);
  }
  if (policy !== undefined && parsed.data.auth === undefined)
    odd.push(...restOnClaimedName(policy).map((name) => problemAt([rulesKey], claimedName(name))));
  if (policy !== undefined && parsed.data.auth !== undefined) {
    const { jwt } = parsed.data.auth;
    const found = unreachableApprovers(policy, jwt === undefined ? [] : jwt.groups);
    const problemOf = ({ index, problem }: (typeof found)[number]): Problem =>
      problemAt([rulesKey], problem, own === undefined ? [rulesKey] : ['approvals', 'rules', index, 'approvers']);
    const never = found.filter(({ isNever }) => isNever).map(problemOf);
    if (never.length > 0) throw refuse(never);
    odd.push(...found.map(problemOf));
  }
  const config = normalise(parsed.data, policy, prices);
  const bytes = Buffer.byteLength(JSON.stringify(config.agent), 'utf8');
  if (bytes > bounds.treeBytesMax) {
    const problem = `names, models and prompts of all nodes take ${bytes} bytes, more than ${bounds.treeBytesMax}; a node without a prompt counts with that of the top level`;
    throw refuse([problemAt(['agent'], problem)]);
  }
  return {
    config,
    warnings: [...warnings, ...odd.map(({ line }) => line)],
    locatedWarnings: [...warnings, ...odd.map(locate)],
    named,
  };
}

const claimedName = (rule: string): string =>
  `rule "${rule}" rests on caller.name, and without auth whoever reaches the port may claim any name; set auth to have it proven`;

/** A file that the configuration names, as seen from where that is, read as it is meant; undefined if it names none. */
function namedFile<Content>(
  key: 'approvals_file' | 'prices_file',
  named: string | undefined,
  from: { readonly path: string; readonly dependencies: { readonly readFile: ReadFile } | undefined },
  {
    read,
    refuse,
  }: { read: (source: string, at: string) => Content; refuse: (problems: readonly Problem[]) => ConfigError },
): Content | undefined {
  if (named === undefined) return undefined;
  const at = resolve(dirname(from.path), named);
  let source: string;
  try {
    if (from.dependencies === undefined) throw new Error('it is not read here');
    source = from.dependencies.readFile(at);
  } catch (error) {
    throw refuse([problemAt([key], `failed to read it: ${readFailure(at, error)}`)]);
  }
  return read(source, at);
}

/** Where the text in quotes begins that does not end before an offset; undefined where a fault is another one. */
function quoteOpened(document: Document.Parsed, message: string, missingAt: number): number | undefined {
  if (!/closing ["']quote/.test(message)) return undefined;
  let opened: number | undefined;
  visit(document, {
    Scalar: (_, { type, range }) => {
      if (range == null || range[0] >= missingAt) return;
      if (type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE') opened = range[0];
    },
  });
  return opened;
}

/** `file`: the plain data without keys that have no value; `written`: with them. */
function parseYaml(
  source: string,
  path: string,
): {
  file: Record<string, unknown>;
  written: unknown;
  warnings: string[];
  locate: (problem: Problem) => string;
  /** As they stand in the file. */
  inOrder: (problems: readonly Problem[]) => Problem[];
} {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${path}:${line}:${col}`;
  };
  const failure = (where: string, message: string) => `failed to parse config file: ${where}: ${message}`;
  const slips = (found: readonly Slip[]) => {
    const located = found.map(({ line, column, message }) => [`${path}:${line}:${column}`, message] as const);
    return new ConfigError(
      path,
      located.map(([where, message]) => failure(where, message)),
      located.map((parts) => parts.join(': ')),
    );
  };
  if (document.errors.length > 0) {
    const faults = document.errors.map(({ pos, code, message }) => {
      const { line, col: column } = lines.linePos(quoteOpened(document, message, pos[0]) ?? pos[0]);
      return { code, message, line, column };
    });
    throw slips(slipsOf(source, faults));
  }
  if (document.contents !== null && !isMap(document.contents)) {
    const found = inYamlWords(document.toJS());
    if (found !== 'nothing') throw new ConfigError(path, [failure(path, `expected a mapping of keys, found ${found}`)]);
  }
  const warnings = document.warnings.map(({ pos, message }) => `${place(pos[0])}: ${warningOf(message)}`);
  try {
    const written: unknown = document.toJS({ maxAliasCount: aliasesMax });
    const data = withoutEmptyKeys(written);
    const file = isRecord(data) ? data : {};
    if (Object.keys(file).length === 0)
      warnings.push(`${path}: nothing is set in it: an agent with the usual model, and without tools`);
    const at = ({ place: where }: Problem) => positionOf(document, lines, where);
    const locate = (problem: Problem) => {
      const { line, column } = at(problem);
      return `${path}:${line}:${column}: ${problem.line}`;
    };
    const inOrder = (problems: readonly Problem[]) =>
      problems.toSorted((one, other) => {
        const [first, second] = [at(one), at(other)];
        return first.line - second.line || first.column - second.column;
      });
    return { file, written, warnings, locate, inOrder };
  } catch (error) {
    const message = oneLine(error instanceof Error ? error.message : String(error));
    const slip = aliasSlip(source, message);
    throw slip === undefined ? new ConfigError(path, [failure(path, message)]) : slips([slip]);
  }
}

/** Keys that shut something off, and what to write: one without a value must not leave it open without a word. */
const guards = {
  auth: 'write auth: {} for API keys alone, or remove the key where nobody is to sign in',
  require_auth: 'write require_auth: true or false',
  approvals: 'write its rules, or remove the key',
} as const;

function emptyGuards(written: unknown): Problem[] {
  if (!isRecord(written)) return [];
  return Object.entries(guards)
    .filter(([key]) => written[key] === null)
    .map(([key, advice]) => problemAt([key], `nothing is below it: ${advice}`));
}

/** A key without a value (`prompt:` and nothing behind) is a key not given. */
function withoutEmptyKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmptyKeys);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([key, inner]) => [key, withoutEmptyKeys(inner)]),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function oneLine(message: string): string {
  // What the reader of YAML says of it is about its own insides.
  if (message.startsWith('Maximum call stack')) return 'it is nested too deeply, or an anchor contains itself';
  return message.replace(/\s+/g, ' ').trim();
}

/** What the reader of YAML warns of, in the words of whoever wrote the file. */
function warningOf(message: string): string {
  const tag = /^Unresolved tag: (\S+)/.exec(message)?.[1]?.replace(/^tag:yaml\.org,2002:/, '!!');
  return tag === undefined ? oneLine(message) : `the tag ${tag} is not known; what follows it is read as plain data`;
}

function readFailure(path: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
      return `${path}: there is no such file; is its path right? "stopgo init" writes one to begin with`;
    case 'EACCES':
    case 'EPERM':
      return `${path}: permission denied`;
    case 'EISDIR':
      return `${path}: is a folder, not a file`;
    default:
      return `${path}: ${oneLine(error instanceof Error ? error.message : String(error))}`;
  }
}
