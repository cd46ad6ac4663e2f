import {
  type HttpSettings,
  isMapping,
  readFlags,
  readSettingsContent,
  readTransport,
  StartupError,
} from '@stopgo/tool-server';
import { fullReadBytes, fullReadBytesMax } from './bounds.ts';
import type { RootSettings } from './roots.ts';

export const defaultHost = '127.0.0.1';
export const defaultPort = 8091;

export const usage = `Usage: mcp-filesystem --config FILE [--http | --stdio] [--host HOST] [--port PORT]

Serves 15 tools for files and folders below named roots over MCP: on standard input and output, or as Streamable HTTP
at /mcp (GET /health answers "ok"). Nothing outside of the roots is read or changed.

  --config FILE  YAML with the keys roots (name, path, allowed_tools of each), max_full_read_size, host, port,
                 allowed_origins and allowed_hosts; host or port in it means HTTP
  --http         serve HTTP instead of standard input and output
  --stdio        serve standard input and output though the file names a host or port
  --host HOST    address to bind (default ${defaultHost})
  --port PORT    port to bind (default ${defaultPort}; 0 takes a free one); means HTTP
  --allowed-host NAME  a name to be called by over HTTP, beside IP addresses and localhost; may be repeated
  --help         show this text
`;

/** How the program was asked to run. */
export interface Settings {
  readonly roots: readonly RootSettings[];
  readonly fullReadBytesMax: number;
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
  const flags = readFlags(args);
  if (flags.help === true) return 'help';
  const content = flags.config === undefined ? {} : await readFile(flags.config);
  const file = readSettingsContent(content, { max_full_read_size: readSize, roots: rootsOf });
  // The port alone has always meant HTTP here.
  const chosen = { ...flags, http: flags.http ?? (flags.port === undefined ? undefined : true) };
  return {
    roots: file.roots ?? [],
    fullReadBytesMax: file.max_full_read_size ?? fullReadBytes,
    http: readTransport(chosen, file, { host: defaultHost, port: defaultPort }),
  };
}

function readSize(value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= fullReadBytesMax) return value;
  throw new StartupError(`config: max_full_read_size must be an integer from 1 to ${fullReadBytesMax}`);
}

/** Names and paths may be missing here: what lacks them is told by its place in the list, with the other rules of roots. */
function rootsOf(value: unknown): readonly RootSettings[] {
  if (value === null) return [];
  if (!Array.isArray(value)) throw new StartupError('config: roots must be a list');
  return value.map((entry: unknown, index) => {
    if (!isMapping(entry)) throw new StartupError(`roots[${index}]: expected the keys name, path and allowed_tools`);
    const stranger = Object.keys(entry).find((key) => !['name', 'path', 'allowed_tools'].includes(key));
    if (stranger !== undefined) {
      throw new StartupError(
        `roots[${index}]: unknown key ${JSON.stringify(stranger)}; the keys are name, path and allowed_tools`,
      );
    }
    const textOf = (key: 'name' | 'path'): string => {
      const found = entry[key] ?? '';
      if (typeof found !== 'string') throw new StartupError(`roots[${index}]: ${key} must be a string`);
      return found;
    };
    const allowedTools: unknown = entry.allowed_tools ?? [];
    if (!isTexts(allowedTools)) throw new StartupError(`roots[${index}]: allowed_tools must be a list of names`);
    return { name: textOf('name'), path: textOf('path'), allowedTools };
  });
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
