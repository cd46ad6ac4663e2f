import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startNode } from './child.ts';
import { HttpClient } from './http-client.ts';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const program = file('../../cli/dist/main.js');
const toolProgram = file('./tool.mjs');

/** Gives the programs of the bench that are written in TypeScript the loader that this process has. */
const asThisProcess = process.execArgv;

/** The platform under test: the built program, in a process of its own, on data of its own. */
export type Platform = {
  readonly pid: number;
  readonly address: string;
  readonly readyMs: number;
  readonly dataDir: string;
  /** Ends the process; the data stay. */
  stop(): Promise<void>;
  /** Ends the process and removes the data. */
  remove(): Promise<void>;
};

/** Starts the platform. `nodeOptions` go to Node before the program, for a profile. */
export async function startPlatform(modelAddress: string, nodeOptions: readonly string[]): Promise<Platform> {
  const folder = mkdtempSync(join(tmpdir(), 'stopgo-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const config = join(folder, 'agent.yaml');
  const dataDir = join(folder, 'data');
  writeFileSync(
    config,
    JSON.stringify({
      name: 'bench',
      prompt: 'You erase notes when you are asked to.',
      host: '127.0.0.1',
      port: 0,
      data_dir: dataDir,
      llm: { model: 'gemini-2.5-flash' },
      mcp_servers: [{ name: 'notes', command: process.execPath, args: [toolProgram], era: 'legacy' }],
    }),
  );
  const { pid, said, readyMs, stop } = await startNode(
    [...nodeOptions, program, 'start', '--config', config],
    { GEMINI_API_KEY: 'a-key-of-the-bench', GEMINI_BASE_URL: modelAddress },
    /ready on (http:\S+)/,
  );
  return {
    pid,
    address: said,
    readyMs,
    dataDir,
    stop,
    remove: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
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
    spentMs: async () => {
      // A connection of its own each time: one that is kept would be closed between two questions that are far apart.
      const client = await HttpClient.open(said);
      const { body } = await client.get('/spent').finally(() => client.close());
      return (JSON.parse(body) as { spentMs: number }).spentMs;
    },
    stop,
  };
}

/** A server that only gives back what it is sent. */
export async function startEcho(): Promise<{ readonly address: string; stop(): Promise<void> }> {
  const { said, stop } = await startNode([...asThisProcess, file('./echo/main.ts')], {}, /listening on (http:\S+)/);
  return { address: said, stop };
}
