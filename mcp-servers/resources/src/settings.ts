import { type HttpSettings, readFlags, readSettingsContent, readTransport, StartupError } from '@stopgo/tool-server';

export const defaultHost = '127.0.0.1';
export const defaultPort = 8090;
export const defaultDatabase = './data/resources.db';

export const usage = `Usage: mcp-resources [--db FILE] [--http [--host HOST] [--port PORT]] [--config FILE]

Serves the tools resources_add, resources_remove and resources_list over MCP: on standard input and output,
or as Streamable HTTP at /mcp (GET /health answers "ok").

  --db FILE      database file (default ${defaultDatabase}); wins over db_path
  --http         serve HTTP instead of standard input and output
  --host HOST    address to bind (default ${defaultHost})
  --port PORT    port to bind (default ${defaultPort}; 0 takes a free one)
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

/**
 * Reads the command line; flags win over the file. The file's content is read by the given function, called only when
 * there is one. @throws StartupError for anything that is not understood.
 */
export async function readSettings(
  args: readonly string[],
  readFile: (path: string) => Promise<unknown>,
): Promise<Settings | 'help'> {
  const flags = readFlags(args, ['db']);
  if (flags.help === true) return 'help';
  const content = flags.config === undefined ? {} : await readFile(flags.config);
  const file = readSettingsContent(content, { db_path: databaseOf });
  const http = readTransport(flags, file, { host: defaultHost, port: defaultPort });
  if (flags.db === '') throw new StartupError('--db must not be empty');
  return { database: flags.db ?? file.db_path ?? defaultDatabase, http };
}

function databaseOf(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new StartupError('config: db_path must be a non-empty string');
  return value;
}
