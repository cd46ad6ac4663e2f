import { parseArgs } from 'node:util';
import { listed } from './arguments.ts';
import { reasonOf, StartupError } from './startup-error.ts';
import {
  checkTransportKey,
  type FileTransport,
  isTransportKey,
  type TransportFlags,
  transportKeys,
} from './transport-settings.ts';

/** The flags that every tool server takes. */
export interface Flags extends TransportFlags {
  readonly config?: string | undefined;
  readonly help?: boolean | undefined;
}

const flags = {
  'allowed-host': { type: 'string', multiple: true },
  config: { type: 'string' },
  help: { type: 'boolean' },
  host: { type: 'string' },
  http: { type: 'boolean' },
  port: { type: 'string' },
  stdio: { type: 'boolean' },
} as const;

/** Reads the command line. `own`: flags of this server alone, each with a value. @throws StartupError for what is none of them. */
export function readFlags<Own extends string = never>(
  args: readonly string[],
  own: readonly Own[] = [],
): Flags & { readonly [Name in Own]?: string | undefined } {
  const texts = Object.fromEntries(own.map((name) => [name, { type: 'string' as const }]));
  try {
    return parseArgs({ args: [...args], options: { ...texts, ...flags } }).values as ReturnType<typeof readFlags<Own>>;
  } catch (thrown) {
    throw new StartupError(`${reasonOf(thrown)} (see --help)`);
  }
}

/**
 * Reads the content of a settings file; every key may be absent. `own`: the keys of this server beside those of the transport, and
 * what reads the value of each. @throws StartupError naming the key that is wrong.
 */
export function readSettingsContent<Own extends object>(
  content: unknown,
  own: { readonly [Key in keyof Own]: (value: unknown) => Own[Key] },
): FileTransport & Partial<Own> {
  const keys = listed([...transportKeys, ...Object.keys(own)]);
  if (content === null || content === undefined) return {};
  if (!isMapping(content)) throw new StartupError(`failed to parse config file: expected the keys ${keys}`);
  const read: FileTransport & Partial<Own> = {};
  for (const [key, value] of Object.entries(content)) {
    if (isTransportKey(key)) checkTransportKey(read, key, value);
    else if (Object.hasOwn(own, key)) read[key as keyof Own] = own[key as keyof Own](value) as (typeof read)[keyof Own];
    else throw new StartupError(`config: unknown key ${JSON.stringify(key)}; the keys are ${keys}`);
  }
  return read;
}

/** True for what YAML calls a mapping. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
