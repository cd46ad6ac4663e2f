import { isMap, LineCounter, parseDocument } from 'yaml';
import { characterProblems } from './characters.ts';
import { BOUNDS } from './defaults.ts';
import { normalise } from './normalise.ts';
import { ConfigError, inYamlWords, problemLine } from './problem.ts';
import { ruleProblems } from './rules.ts';
import { fileSchema } from './schema.ts';
import { treeWarnings } from './tree-warnings.ts';
import type { AgentConfig } from './types.ts';

/** Anchors of a YAML file may be referred to this often; more is taken for a bomb. */
const ALIASES_MAX = 100;

/** A configuration that can be used, and what its author should know about it (one line each). */
export type LoadedAgentConfig = { readonly config: AgentConfig; readonly warnings: readonly string[] };

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
  return parseAgentConfig(source, path);
}

/**
 * The same for a text already read, without a word of what has no effect yet. `path` only names the file in errors.
 */
export function parseAgentConfig(source: string, path: string): LoadedAgentConfig {
  const { file, warnings } = parseYaml(source, path);
  const parsed = fileSchema.safeParse(file);
  const problems = parsed.success
    ? []
    : parsed.error.issues.flatMap(({ path: place, message }) =>
        message.split('\n').map((line) => problemLine(place, line)),
      );
  problems.push(...ruleProblems(file), ...characterProblems(file));
  if (!parsed.success || problems.length > 0) throw new ConfigError(path, problems);
  if (file.mcp !== undefined) {
    warnings.push(
      'mcp: this key is deprecated; it was read as one server named "default". Write it as an entry of mcp_servers, with a name',
    );
  }
  warnings.push(...treeWarnings(parsed.data));
  const config = normalise(parsed.data);
  const bytes = Buffer.byteLength(JSON.stringify(config.agent), 'utf8');
  if (bytes > BOUNDS.treeBytesMax) {
    const problem = `names, models and prompts of all nodes take ${bytes} bytes, more than ${BOUNDS.treeBytesMax}; a node without a prompt counts with that of the top level`;
    throw new ConfigError(path, [problemLine(['agent'], problem)]);
  }
  return { config, warnings };
}

function parseYaml(source: string, path: string): { file: Record<string, unknown>; warnings: string[] } {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${path}:${line}:${col}`;
  };
  const failure = (where: string, message: string) => `failed to parse config file: ${where}: ${message}`;
  if (document.errors.length > 0) {
    throw new ConfigError(
      path,
      document.errors.map(({ pos, code, message }) =>
        failure(
          place(pos[0]),
          code === 'MULTIPLE_DOCS' ? 'only one document is allowed; remove the line ---' : oneLine(message),
        ),
      ),
    );
  }
  if (document.contents !== null && !isMap(document.contents)) {
    const found = inYamlWords(document.toJS());
    if (found !== 'nothing') throw new ConfigError(path, [failure(path, `expected a mapping of keys, found ${found}`)]);
  }
  const warnings = document.warnings.map(({ pos, message }) => `${place(pos[0])}: ${oneLine(message)}`);
  try {
    const data: unknown = withoutEmptyKeys(document.toJS({ maxAliasCount: ALIASES_MAX }));
    return { file: isRecord(data) ? data : {}, warnings };
  } catch (error) {
    throw new ConfigError(path, [failure(path, oneLine(error instanceof Error ? error.message : String(error)))]);
  }
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

function readFailure(path: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
      return `${path}: there is no such file; name another one with --config FILE`;
    case 'EACCES':
    case 'EPERM':
      return `${path}: permission denied`;
    case 'EISDIR':
      return `${path}: is a folder, not a file`;
    default:
      return `${path}: ${oneLine(error instanceof Error ? error.message : String(error))}`;
  }
}
