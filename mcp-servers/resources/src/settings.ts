import { parseArgs } from 'node:util';
import {
  checkTransportKey,
  type FileTransport,
  type HttpSettings,
  isTransportKey,
  readTransport,
  reasonOf,
  StartupError,
  TRANSPORT_KEYS,
} from '@stopgo/tool-server';

export const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PORT = 8090;
export const DEFAULT_DATABASE = './data/resources.db';

export const USAGE = `Usage: mcp-resources [--db FILE] [--http [--host HOST] [--port PORT]] [--config FILE]

Serves the tools resources_add, resources_remove and resources_list over MCP: on standard input and output,
or as Streamable HTTP at /mcp (GET /health answers "ok").

  --db FILE      database file (default ${DEFAULT_DATABASE}); wins over db_path
  --http         serve HTTP instead of standard input and output
  --host HOST    address to bind (default ${DEFAULT_HOST})
  --port PORT    port to bind (default ${DEFAULT_PORT}; 0 takes a free one)
  --allowed-host NAME  a name to be called by over HTTP, beside IP addresses and localhost; may be repeated
  --stdio        serve standard input and output though the file names a host or port
  --config FILE  YAML with the keys host, port, allowed_origins, allowed_hosts and db_path; host or port in it means HTTP
  --help         show this text
`;

/** How the program was asked to run. */
export interface Settings {
  readonly database: string;
  /** Absent: serve standard input and output. */
  readonly http: HttpSettings | undefined;
}

/** What a settings file may say; every key may be absent. */
export interface FileSettings extends FileTransport {
  db_path?: string;
}

/**
 * Reads the command line; flags win over the file. The file's content is read by the given function, called only when
 * there is one. @throws StartupError for anything that is not understood.
 */
export async function readSettings(
  args: readonly string[],
  readFile: (path: string) => Promise<unknown>,
): Promise<Settings | 'help'> {
  const flags = parseFlags(args);
  if (flags.help === true) return 'help';
  const file = flags.config === undefined ? {} : checkFileSettings(await readFile(flags.config));
  const http = readTransport(flags, file, { host: DEFAULT_HOST, port: DEFAULT_PORT });
  if (flags.db === '') throw new StartupError('--db must not be empty');
  return { database: flags.db ?? file.db_path ?? DEFAULT_DATABASE, http };
}

/** Checks what was found in a settings file. @throws StartupError naming the key that is wrong. */
function checkFileSettings(content: unknown): FileSettings {
  const keys = `${TRANSPORT_KEYS.join(', ')} and db_path`;
  if (content === null || content === undefined) return {};
  if (typeof content !== 'object' || Array.isArray(content)) {
    throw new StartupError(`failed to parse config file: expected the keys ${keys}`);
  }
  const checked: FileSettings = {};
  for (const [key, value] of Object.entries(content)) {
    if (isTransportKey(key)) checkTransportKey(checked, key, value);
    else if (key === 'db_path') {
      if (typeof value !== 'string' || value === '')
        throw new StartupError('config: db_path must be a non-empty string');
      checked.db_path = value;
    } else throw new StartupError(`config: unknown key ${JSON.stringify(key)}; the keys are ${keys}`);
  }
  return checked;
}

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        'allowed-host': { type: 'string', multiple: true },
        config: { type: 'string' },
        db: { type: 'string' },
        help: { type: 'boolean' },
        host: { type: 'string' },
        http: { type: 'boolean' },
        port: { type: 'string' },
        stdio: { type: 'boolean' },
      },
    }).values;
  } catch (thrown) {
    throw new StartupError(`${reasonOf(thrown)} (see --help)`);
  }
}
