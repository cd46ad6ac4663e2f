import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A request that reached the model: what it asked, and in which life of the platform. */
export type ModelRequest = {
  readonly life: number;
  /** The whole body as JSON text. */
  readonly body: string;
  /** Entries of the history in it: grows with each turn of a conversation. */
  readonly historyLength: number;
};

/** Requests that the model answers before its list is taken. */
const turnsBeforeCollect = 3;

type Recorded = { readonly index: number; readonly body: { readonly contents?: readonly unknown[] } };

/** The offline model in a process of its own; it lives longer than the platform and remembers what it was asked. */
export class ModelProcess {
  readonly url: string;
  readonly requests: ModelRequest[] = [];
  private next = 0;
  private readonly end: () => void;

  private constructor(url: string, end: () => void) {
    this.url = url;
    this.end = end;
  }

  static async start(program: string): Promise<ModelProcess> {
    const child = spawn(process.execPath, [program, '--port', '0', '--control', '--exit-with-stdin'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /listening on (http:\S+)/.exec(line)?.[1];
      if (url !== undefined) return new ModelProcess(url, () => void child.kill('SIGKILL'));
    }
    throw new Error('the offline model ended before it listened');
  }

  /** Takes in what was asked since the last time; all of it belongs to this life of the platform. */
  async collect(life: number): Promise<void> {
    // What the platform sent with its last breath may still be on its way into the model: let that go first.
    for (let turn = 0; turn < turnsBeforeCollect; turn += 1) await fetch(`${this.url}/health`);
    const answer = await fetch(`${this.url}/__requests?since=${this.next}`);
    const { requests } = (await answer.json()) as { readonly requests: readonly Recorded[] };
    for (const { index, body } of requests) {
      this.next = index + 1;
      this.requests.push({ life, body: JSON.stringify(body), historyLength: body.contents?.length ?? 0 });
    }
  }

  stop(): void {
    this.end();
  }
}
