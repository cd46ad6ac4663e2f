import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { startNode } from '../child.ts';
import { benchFolder, program, startHttpTool } from '../platform.ts';
import { processesOf, type Subject } from '../subject.ts';
import { type Part, partsOf } from './parts.ts';

/** How many of which. */
export type Shape = { readonly orchestrators: number; readonly stores: number };

/** The services as processes of their own over NATS, as the launcher starts them. */
export type LaunchedServices = Subject & {
  readonly shape: Shape;
  /** With which the services prove to each other that they belong together. */
  readonly internalToken: string;
  /** Where the stores listen, separated by commas. */
  readonly storeAddress: string;
  /** Where the monitoring of the platform's own nats-server is. */
  readonly natsMonitorUrl: string;
  parts(): readonly Part[];
  /** All that the launcher has printed. */
  output(): string;
};

/** With a tool server over HTTP that is not a process of the platform. */
export type ServicesPlatform = LaunchedServices & {
  /** Milliseconds that its tool server has spent on requests so far. */
  toolSpentMs(): Promise<number>;
};

/**
 * Starts `stopgo services` with a tool server over HTTP of its own. `logLevel` debug makes every internal call a line; `more`
 * is added to the configuration.
 */
export async function startServices(
  modelAddress: string,
  shape: Shape,
  logLevel: 'info' | 'debug' = 'info',
  more: object = {},
): Promise<ServicesPlatform> {
  const http = await startHttpTool();
  const launched = await launchServices(modelAddress, shape, http.tool, { log_level: logLevel, ...more }).catch(
    async (error: unknown) => {
      await http.stop();
      throw error;
    },
  );
  const remove = async (): Promise<void> => {
    await launched.remove();
    await http.stop();
  };
  return { ...launched, toolSpentMs: http.spentMs, remove };
}

/**
 * Starts `stopgo services` with a tool server that is reached as `tool` says; `more` is added to the configuration, and `nodeOptions` go to
 * Node before the program of each process.
 */
export async function launchServices(
  modelAddress: string,
  shape: Shape,
  tool: object,
  more: object,
  nodeOptions: readonly string[] = [],
): Promise<LaunchedServices> {
  const { config, env, remove } = benchFolder(modelAddress, tool, more);
  const internalToken = randomBytes(24).toString('base64url');
  const natsServer = process.env.STOPGO_NATS_SERVER;
  const replicas = `orchestrator=${shape.orchestrators},store=${shape.stores}`;
  const launcher = await startNode(
    [...nodeOptions, program, 'services', '--config', config, '--replicas', replicas],
    {
      ...env,
      STOPGO_INTERNAL_TOKEN: internalToken,
      ...(natsServer === undefined ? {} : { STOPGO_NATS_SERVER: natsServer }),
    },
    /ready on (http:\S+)/,
    true,
  );
  const parts = () => partsOf(launcher.pid);
  return {
    ...processesOf(launcher.pid),
    shape,
    address: launcher.said,
    readyMs: launcher.readyMs,
    internalToken,
    storeAddress: variableOf(parts(), 'gateway', 'STOPGO_STORE'),
    natsMonitorUrl: variableOf(parts(), 'store', 'NATS_MONITOR_URL'),
    parts,
    output: launcher.output,
    remove: () => launcher.stop().finally(remove),
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
