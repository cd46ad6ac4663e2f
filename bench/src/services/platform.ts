import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { startNode } from '../child.ts';
import { benchFolder, program, startHttpTool } from '../platform.ts';
import { type Part, partsOf } from './parts.ts';

/** How many of which. */
export type Shape = { readonly orchestrators: number; readonly stores: number };

/** The services as processes of their own over NATS, as the launcher starts them. */
export type ServicesPlatform = {
  readonly shape: Shape;
  readonly address: string;
  readonly readyMs: number;
  /** With which the services prove to each other that they belong together. */
  readonly internalToken: string;
  /** Where the stores listen, separated by commas. */
  readonly storeAddress: string;
  /** The platform's own nats-server, with its password. */
  readonly natsUrl: string;
  parts(): readonly Part[];
  /** Milliseconds that its tool server has spent on requests so far. */
  toolSpentMs(): Promise<number>;
  /** All that the launcher has printed. */
  output(): string;
  remove(): Promise<void>;
};

/**
 * Starts `stopgo services` with a tool server of its own. `logLevel` debug makes every internal call a line; `more`
 * is added to the configuration.
 */
export async function startServices(
  modelAddress: string,
  shape: Shape,
  logLevel: 'info' | 'debug' = 'info',
  more: object = {},
): Promise<ServicesPlatform> {
  const http = await startHttpTool();
  const { config, env, remove } = benchFolder(modelAddress, http.tool, { log_level: logLevel, ...more });
  const internalToken = randomBytes(24).toString('base64url');
  const natsServer = process.env.STOPGO_NATS_SERVER;
  const launcher = await startNode(
    [
      program,
      'services',
      '--config',
      config,
      '--replicas',
      `orchestrator=${shape.orchestrators},store=${shape.stores}`,
    ],
    {
      ...env,
      STOPGO_INTERNAL_TOKEN: internalToken,
      ...(natsServer === undefined ? {} : { STOPGO_NATS_SERVER: natsServer }),
    },
    /ready on (http:\S+)/,
    true,
  ).catch(async (error: unknown) => {
    await http.stop();
    throw error;
  });
  const parts = () => partsOf(launcher.pid);
  return {
    shape,
    address: launcher.said,
    readyMs: launcher.readyMs,
    internalToken,
    storeAddress: variableOf(parts(), 'gateway', 'STOPGO_STORE'),
    natsUrl: variableOf(parts(), 'store', 'NATS_URL'),
    parts,
    toolSpentMs: http.spentMs,
    output: launcher.output,
    remove: async () => {
      await launcher.stop();
      await http.stop();
      remove();
    },
  };
}

/** What the launcher has set for a process that it started. */
function variableOf(parts: readonly Part[], name: string, variable: string): string {
  const pid = parts.find((part) => part.name === name)?.pid;
  const entries = pid === undefined ? [] : readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  const value = entries.find((entry) => entry.startsWith(`${variable}=`))?.slice(variable.length + 1);
  if (value === undefined) throw new Error(`no process "${name}" with ${variable} runs`);
  return value;
}
