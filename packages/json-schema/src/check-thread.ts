import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { threadMemoryMb, threadStartMs } from './bounds.ts';

/** A value against a schema, both as JSON text. */
export type ThreadJob = { readonly schemaJson: string; readonly valueJson: string };

/**
 * What came of a job: what is wrong with the value (undefined: nothing), that it took too long, why the thread ended during it, or why
 * the thread did not start.
 */
export type ThreadResult =
  | { readonly kind: 'checked'; readonly problem: string | undefined }
  | { readonly kind: 'late' }
  | { readonly kind: 'broken' | 'unstarted'; readonly reason: string };

// The program of the thread, as text: so it is the same whether this package runs from its sources, where a thread would need
// a loader for TypeScript, or as built. It imports nothing of ours. What a schema cannot tell throws, and is left to the server.
const program = `
const { parentPort, workerData } = require('node:worker_threads');
const { CfWorkerJsonSchemaValidator } = require(workerData);
const validator = new CfWorkerJsonSchemaValidator({ shortcircuit: true });
parentPort.on('message', ({ schemaJson, valueJson }) => {
  let problem;
  try {
    const verdict = validator.getValidator(JSON.parse(schemaJson))(JSON.parse(valueJson));
    if (!verdict.valid) problem = verdict.errorMessage ?? 'it does not match';
  } catch {}
  parentPort.postMessage({ problem });
});
parentPort.postMessage({ ready: true });
`;

const validatorFile = createRequire(import.meta.url).resolve('@modelcontextprotocol/client/validators/cf-worker');

/**
 * A thread that checks values against schemas, one at a time. A check that takes too long ends with the thread: that is the only
 * way to break off a regular expression without blocking whoever waits for it.
 */
export class CheckThread {
  readonly #worker: Worker;
  readonly #ready: Promise<boolean>;
  #settle: ((result: ThreadResult) => void) | undefined;
  #ended: string | undefined;

  constructor() {
    // Nothing of this process is handed on: no environment, no loaders, no options.
    this.#worker = new Worker(program, {
      eval: true,
      workerData: validatorFile,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: threadMemoryMb },
    });
    this.#worker.unref();
    this.#ready = new Promise((resolve) => {
      this.#worker.on('message', ({ ready, problem }: { ready?: boolean; problem?: string }) => {
        if (ready === true) resolve(true);
        else this.#over({ kind: 'checked', problem });
      });
      const end = (reason: string): void => {
        this.#ended ??= reason;
        resolve(false);
        this.#over({ kind: 'broken', reason: this.#ended });
      };
      this.#worker.on('error', (error) => end(error instanceof Error ? error.message : String(error)));
      this.#worker.on('exit', () => end('the thread has ended'));
    });
  }

  /** Whether it can take another job. */
  get isAlive(): boolean {
    return this.#ended === undefined;
  }

  /** Does a job, in `ms` milliseconds at most from when the thread is ready. Never rejects. Not while another is under way. */
  async run(job: ThreadJob, ms: number): Promise<ThreadResult> {
    this.#worker.ref();
    try {
      if (!(await this.#started()))
        return { kind: 'unstarted', reason: this.#ended ?? 'the thread did not start in time' };
      const result = await this.#answer(job, ms);
      if (result.kind === 'late') this.end();
      return result;
    } finally {
      this.#worker.unref();
    }
  }

  /** Ends the thread, whatever it does. */
  end(): void {
    this.#ended ??= 'the thread was ended';
    void this.#worker.terminate();
  }

  #answer({ schemaJson, valueJson }: ThreadJob, ms: number): Promise<ThreadResult> {
    return new Promise((resolve) => {
      // An answer that has come while this process was busy is heard first.
      const timer = setTimeout(() => setImmediate(() => this.#over({ kind: 'late' })), ms);
      this.#settle = (result) => {
        clearTimeout(timer);
        resolve(result);
      };
      this.#worker.postMessage({ schemaJson, valueJson });
    });
  }

  async #started(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), threadStartMs);
    });
    const isStarted = await Promise.race([this.#ready, late]);
    clearTimeout(timer);
    if (!isStarted) this.end();
    return isStarted;
  }

  #over(result: ThreadResult): void {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(result);
  }
}
