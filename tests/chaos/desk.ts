import { createServer } from 'node:http';
import { pause } from '../promises/patient-client.ts';
import type { Notice } from './demands.ts';

const pauseMs = 100;

/** The webhook of the chaos test: it fails every third time, so that notices are repeated. */
export class Desk {
  readonly name = 'desk';
  readonly taken: Notice[] = [];
  readonly #server = createServer((request, answer) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      this.#posts += 1;
      const isTaken = this.#posts % 3 !== 0;
      if (isTaken) this.taken.push(noticeIn(String(request.headers['webhook-id']), Buffer.concat(chunks).toString()));
      answer.writeHead(isTaken ? 204 : 503).end();
    });
  });
  #posts = 0;

  /** Listens, and gives its address. */
  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the desk does not listen');
    return `http://127.0.0.1:${address.port}/`;
  }

  /** Waits until it has taken all of these, or so long. */
  async hasTaken(expected: readonly Notice[], ms: number): Promise<void> {
    const deadline = performance.now() + ms;
    const has = (): boolean => {
      const ids = new Set(this.taken.map(({ id }) => id));
      return expected.every(({ id }) => ids.has(id));
    };
    while (!has() && performance.now() < deadline) await pause(pauseMs);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

function noticeIn(id: string, body: string): Notice {
  const { type, data } = JSON.parse(body) as { type: string; data: { approval: { id: string } } };
  return { id, type, approvalId: data.approval.id };
}
