import { parseArgs } from 'node:util';
import { reasonOf, StartupError } from './startup-error.ts';

export const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PORT = 8090;
export const DEFAULT_DATABASE = './data/resources.db';
const PORT_MAX = 65_535;

export const USAGE = `Usage: mcp-resources [--db FILE] [--http [--host HOST] [--port PORT]] [--config FILE]

Serves the tools resources_add, resources_remove and resources_list over MCP: on standard input and output,
or as Streamable HTTP at /mcp (GET /health answers "ok").

  --db FILE      database file (default ${DEFAULT_DATABASE}); wins over db_path
  --http         serve HTTP instead of standard input and output
  --host HOST    address to bind (default ${DEFAULT_HOST})
  --port PORT    port to bind (default ${DEFAULT_PORT}; 0 takes a free one)
  --config FILE  YAML with the keys host, port and db_path; host or port in it means HTTP
  --help         show this text
`;

/** How the program was asked to run. */
export interface Settings {
  readonly database: string;
  /** Absent: serve standard input and output. */
  readonly http: { readonly host: string; readonly port: number } | undefined;
}

/** What a settings file may say; every key may be absent. */
export interface FileSettings {
  readonly host?: string;
  readonly port?: number;
  readonly db_path?: string;
}

/**
 * Reads the command line; flags win over the file. The file is read by the given function, called only when there is one.
 * @throws StartupError for anything that is not understood.
 */
export async function readSettings(
  args: readonly string[],
  readFile: (path: string) => Promise<FileSettings>,
): Promise<Settings | 'help'> {
  const flags = parseFlags(args);
  if (flags.help === true) return 'help';
  const file = flags.config === undefined ? {} : await readFile(flags.config);
  const useHttp = flags.http === true || file.host !== undefined || file.port !== undefined;
  if (!useHttp && (flags.host !== undefined || flags.port !== undefined)) {
    throw new StartupError('--host and --port belong to HTTP: add --http');
  }
  return {
    database: nonEmpty('--db', flags.db) ?? file.db_path ?? DEFAULT_DATABASE,
    http: useHttp
      ? {
          host: nonEmpty('--host', flags.host) ?? file.host ?? DEFAULT_HOST,
          port: flags.port === undefined ? (file.port ?? DEFAULT_PORT) : portOf(flags.port),
        }
      : undefined,
  };
}

/** Checks what was found in a settings file. @throws StartupError naming the key that is wrong. */
export function checkFileSettings(content: unknown): FileSettings {
  if (content === null || content === undefined) return {};
  if (typeof content !== 'object' || Array.isArray(content)) {
    throw new StartupError('failed to parse config file: expected the keys host, port and db_path');
  }
  const checked: { host?: string; port?: number; db_path?: string } = {};
  for (const [key, value] of Object.entries(content)) {
    if (key === 'host' || key === 'db_path') {
      if (typeof value !== 'string' || value === '')
        throw new StartupError(`config: ${key} must be a non-empty string`);
      checked[key] = value;
    } else if (key === 'port') {
      if (!isPort(value)) throw new StartupError(`config: port must be an integer from 0 to ${PORT_MAX}`);
      checked.port = value;
    } else {
      throw new StartupError(`config: unknown key ${JSON.stringify(key)}; the keys are host, port and db_path`);
    }
  }
  return checked;
}

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        config: { type: 'string' },
        db: { type: 'string' },
        help: { type: 'boolean' },
        host: { type: 'string' },
        http: { type: 'boolean' },
        port: { type: 'string' },
      },
    }).values;
  } catch (thrown) {
    throw new StartupError(`${reasonOf(thrown)} (see --help)`);
  }
}

function nonEmpty(flag: string, value: string | undefined): string | undefined {
  if (value === '') throw new StartupError(`${flag} must not be empty`);
  return value;
}

function portOf(text: string): number {
  const port = /^\d+$/u.test(text) ? Number(text) : undefined;
  if (!isPort(port)) throw new StartupError(`--port must be an integer from 0 to ${PORT_MAX}`);
  return port;
}

function isPort(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= PORT_MAX;
}
