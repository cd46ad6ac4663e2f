import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startNode } from '../child.ts';
import { type Part, partsOf } from './parts.ts';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const program = file('../../../cli/dist/main.js');
const toolProgram = file('./http-tool.mjs');

/** How many of which. */
export type Shape = { readonly orchestrators: number; readonly stores: number };

/** The services as processes of their own over NATS, as the launcher starts them. */
export type ServicesPlatform = {
  readonly shape: Shape;
  readonly address: string;
  readonly readyMs: number;
  parts(): readonly Part[];
  /** All that the launcher has printed. */
  output(): string;
  remove(): Promise<void>;
};

/** Starts `stopgo services` with a tool server of its own. `logLevel` debug makes every internal call a line. */
export async function startServices(
  modelAddress: string,
  shape: Shape,
  logLevel: 'info' | 'debug' = 'info',
): Promise<ServicesPlatform> {
  const folder = mkdtempSync(join(tmpdir(), 'stopgo-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const tool = await startNode([toolProgram], {}, /listening on (http:\S+)/);
  const config = join(folder, 'agent.yaml');
  writeFileSync(
    config,
    JSON.stringify({
      name: 'bench',
      prompt: 'You erase notes when you are asked to.',
      host: '127.0.0.1',
      port: 0,
      data_dir: join(folder, 'data'),
      log_level: logLevel,
      llm: { model: 'gemini-2.5-flash' },
      mcp_servers: [{ name: 'notes', url: `${tool.said}/mcp`, era: 'legacy' }],
    }),
  );
  const replicas = `orchestrator=${shape.orchestrators},store=${shape.stores}`;
  const launcher = await startNode(
    [program, 'services', '--config', config, '--replicas', replicas],
    {
      GEMINI_API_KEY: 'a-key-of-the-bench',
      GEMINI_BASE_URL: modelAddress,
      ...(process.env.STOPGO_NATS_SERVER === undefined ? {} : { STOPGO_NATS_SERVER: process.env.STOPGO_NATS_SERVER }),
    },
    /ready on (http:\S+)/,
    true,
  ).catch(async (error: unknown) => {
    await tool.stop();
    throw error;
  });
  return {
    shape,
    address: launcher.said,
    readyMs: launcher.readyMs,
    parts: () => partsOf(launcher.pid),
    output: launcher.output,
    remove: async () => {
      await launcher.stop();
      await tool.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
