import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OneProcessOptions, startOneProcess } from '@stopgo/cli';
import type { Models } from '@stopgo/orchestrator';
import { createLogger, parseAgentConfig } from '@stopgo/runtime';

const root = join(import.meta.dirname, '../..');

/** A model that asks for what needs an approval. */
const model: ReturnType<Models['forModel']> = {
  takes: () => false,
  generate: async () => ({
    kind: 'answer',
    answer: {
      text: '',
      calls: [{ providerCallId: '', name: 'erase', argumentsJson: '{"name":"x"}' }],
      provider: 'gemini',
      model: 'scripted',
      usage: { inputTokens: 0, outputTokens: 0 },
      stopReason: 'tool_use',
    },
  }),
};

/** What no configuration says of an agent. */
export type AgentMore = Pick<OneProcessOptions, 'gateway' | 'orchestrator'>;

export type HttpAnswer = {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON it is
  readonly body: any;
};

/** A whole agent in this process, with HTTP at an address that it keeps, and tools. */
export class WholeAgent {
  readonly url: string;
  /** Everything that it has logged, of every level. */
  readonly lines: string[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), 'stopgo-agent-'));
  readonly #more: AgentMore;
  readonly #config: object;
  #stop: () => Promise<void> = async () => {};

  /** @param config - more keys of the configuration, made with the agent's own address. */
  constructor(port: number, config: (url: string) => object, more: AgentMore = {}) {
    this.url = `http://127.0.0.1:${port}`;
    this.#more = more;
    const args = [join(root, 'tests/e2e/fixtures/tools.mjs'), join(this.#folder, 'journal')];
    this.#config = {
      host: '127.0.0.1',
      port,
      data_dir: this.#dataDir,
      mcp_servers: [{ name: 'tools', command: process.execPath, args }],
      ...config(this.url),
    };
  }

  get #dataDir(): string {
    return join(this.#folder, 'data');
  }

  async start(): Promise<void> {
    mkdirSync(this.#dataDir, { recursive: true });
    const { stop } = await startOneProcess({
      ...this.#more,
      config: parseAgentConfig(JSON.stringify(this.#config), 'agent.yaml').config,
      env: { GEMINI_API_KEY: 'none-needed' },
      logger: createLogger({
        level: 'debug',
        format: 'text',
        destination: { write: (line) => this.lines.push(line) > 0 },
      }),
      version: 'tested',
      intercept: { models: () => ({ forModel: () => model }) },
    });
    this.#stop = stop;
  }

  /** Stops it; what it has recorded stays. */
  async stop(): Promise<void> {
    const stop = this.#stop;
    this.#stop = async () => {};
    await stop();
  }

  async end(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async send(method: string, path: string, json?: object, headers: Readonly<Record<string, string>> = {}) {
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const answer = await fetch(new URL(path, this.url), { method, headers, ...body });
    const text = await answer.text();
    return { status: answer.status, text, body: text === '' ? undefined : JSON.parse(text) } satisfies HttpAnswer;
  }

  /** Everything that it keeps on disk, byte by byte. */
  kept(): string {
    return readdirSync(this.#dataDir)
      .map((name) => readFileSync(join(this.#dataDir, name), 'latin1'))
      .join('\n');
  }
}
