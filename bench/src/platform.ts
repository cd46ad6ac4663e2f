import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startNode } from './child.ts';
import { HttpClient } from './http-client.ts';
import { processesOf, type Subject } from './subject.ts';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** The built platform. */
export const program = file('../../cli/dist/program/main.js');
const bareProgram = file('./bare.mjs');
const toolProgram = file('./tool.mjs');

/** Gives the programs of the bench that are written in TypeScript the loader that this process has. */
const asThisProcess = process.execArgv;

/** The platform under test: the built program, in a process of its own, on data of its own. */
export type Platform = Subject & {
  readonly pid: number;
  readonly dataDir: string;
  /** Ends the process; the data stay. */
  stop(): Promise<void>;
  /** Once it is stopped: another process on the same data. */
  again(): Promise<Platform>;
};

/** A configuration of its own in a folder of its own. */
export type BenchFolder = {
  readonly config: string;
  readonly dataDir: string;
  /** What the platform needs in its environment to reach the model. */
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
};

/** Makes the folder; it is gone at the latest when this process ends. `tool` says how the tool server is reached. */
export function benchFolder(modelAddress: string, tool: object, more: object = {}): BenchFolder {
  const folder = mkdtempSync(join(tmpdir(), 'stopgo-bench-'));
  const remove = (): void => {
    process.off('exit', remove);
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', remove);
  const [config, dataDir] = [join(folder, 'agent.yaml'), join(folder, 'data')];
  const agent = {
    name: 'bench',
    prompt: 'You erase notes when you are asked to.',
    host: '127.0.0.1',
    port: 0,
    data_dir: dataDir,
    llm: { model: 'gemini-2.5-flash' },
    mcp_servers: [{ name: 'notes', era: 'legacy', ...tool }],
    ...more,
  };
  writeFileSync(config, JSON.stringify(agent));
  return { config, dataDir, env: { GEMINI_API_KEY: 'a-key-of-the-bench', GEMINI_BASE_URL: modelAddress }, remove };
}

/** The tool server on standard input and output; `args` say how it differs from what it is otherwise. */
export function stdioTool(...args: readonly string[]): object {
  return { command: process.execPath, args: [toolProgram, ...args] };
}

/** The tool server over HTTP. */
export type HttpTool = {
  /** How the platform reaches it. */
  readonly tool: object;
  /** Milliseconds that it has spent on requests so far, from the head of each to the end of its answer. */
  spentMs(): Promise<number>;
  stop(): Promise<void>;
};

/** The tool server over HTTP, in a process of its own. */
export async function startHttpTool(): Promise<HttpTool> {
  const { said, stop } = await startNode([toolProgram, '--http'], {}, /listening on (http:\S+)/);
  return { tool: { url: `${said}/mcp` }, spentMs: () => spentAt(said), stop };
}

/** Asks a process that measures its own time. */
async function spentAt(address: string): Promise<number> {
  // A connection of its own each time: one that is kept would be closed between two questions that are far apart.
  const client = await HttpClient.open(address);
  const { body } = await client.get('/spent').finally(() => client.close());
  return (JSON.parse(body) as { spentMs: number }).spentMs;
}

/** What `npm start` gives Node. The floor is given the same. */
const asStarted = ['--use-largepages=silent', '--max-semi-space-size=16'];

/** Starts the platform. `nodeOptions` go to Node before the program, for a profile; `tool` is how its tool is reached, `more` is added to its configuration. */
export async function startPlatform(
  modelAddress: string,
  nodeOptions: readonly string[],
  tool: object = stdioTool(),
  more: object = {},
): Promise<Platform> {
  return startIn(benchFolder(modelAddress, tool, more), nodeOptions);
}

async function startIn(folder: BenchFolder, nodeOptions: readonly string[]): Promise<Platform> {
  const { config, dataDir, env, remove } = folder;
  const { pid, said, readyMs, stop } = await startNode(
    [...asStarted, ...nodeOptions, program, 'start', '--config', config],
    env,
    /ready on (http:\S+)/,
  );
  return {
    ...processesOf(pid),
    pid,
    address: said,
    readyMs,
    dataDir,
    stop,
    again: () => startIn(folder, nodeOptions),
    remove: async () => {
      await stop();
      remove();
    },
  };
}

/** Starts `bare.mjs`, which does the same work and keeps nothing, with the same configuration as the platform. */
export async function startBare(modelAddress: string, nodeOptions: readonly string[], more: object): Promise<Subject> {
  const { config, env, remove } = benchFolder(modelAddress, stdioTool(), more);
  const { pid, said, readyMs, stop } = await startNode(
    [...asStarted, ...nodeOptions, bareProgram, config],
    env,
    /ready on (http:\S+)/,
  );
  return { ...processesOf(pid), address: said, readyMs, remove: () => stop().finally(remove) };
}

/** The model, in a process of its own. */
export type Model = {
  readonly address: string;
  /** Milliseconds that it has spent on requests so far, from the head of each to the end of its answer. */
  spentMs(): Promise<number>;
  stop(): Promise<void>;
};

export async function startModel(): Promise<Model> {
  const { said, stop } = await startNode([...asThisProcess, file('./model/main.ts')], {}, /listening on (http:\S+)/);
  return {
    address: said,
    spentMs: () => spentAt(said),
    stop,
  };
}

/** A server that only gives back what it is sent: over HTTP, or over gRPC. */
export async function startEcho(
  over: 'http' | 'grpc',
): Promise<{ readonly address: string; readonly pid: number; stop(): Promise<void> }> {
  const echo = file(over === 'http' ? './echo/main.ts' : './grpc-echo/main.ts');
  const { said, pid, stop } = await startNode([...asThisProcess, echo], {}, /listening on (\S+)/);
  return { address: said, pid, stop };
}
