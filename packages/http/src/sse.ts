import type { Response } from 'express';

/**
 * The sending end of an event stream that a client reads at its own pace. What must arrive waits for the client; what
 * may be lost is dropped while the client is behind, so that a slow one costs neither memory nor order.
 */
export class SseWriter {
  readonly #res: Response;
  readonly #stallMs: number;
  readonly #signal: AbortSignal;

  /** Opens the stream. A client that reads nothing for `stallMs` while something waits for it is cut off. */
  constructor(res: Response, options: { readonly stallMs: number; readonly signal: AbortSignal }) {
    this.#res = res;
    this.#stallMs = options.stallMs;
    this.#signal = options.signal;
    res.statusCode = 200;
    res.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
    // Nothing in between may keep an event for somebody else.
    res.setHeader('Cache-Control', 'no-cache, no-store');
    // Proxies that gather answers would keep events back.
    res.setHeader('X-Accel-Buffering', 'no');
    res.flushHeaders();
  }

  /** Sends what must not be lost; resolves when there is room for more, or nobody reads any more. */
  async send(text: string): Promise<void> {
    if (this.#over) return;
    if (!this.#res.write(text)) await this.#room();
  }

  /** Sends what may be lost: nothing if the client is behind. */
  offer(text: string): void {
    if (!this.#over && !this.#res.writableNeedDrain) this.#res.write(text);
  }

  /** Ends the stream; what was sent still arrives. */
  end(): void {
    this.#res.end();
  }

  get #over(): boolean {
    return this.#signal.aborted || this.#res.destroyed || this.#res.writableEnded;
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(stalled);
        this.#res.off('drain', done);
        this.#res.off('close', done);
        this.#signal.removeEventListener('abort', done);
        resolve();
      };
      const stalled = setTimeout(() => this.#res.destroy(), this.#stallMs);
      this.#res.once('drain', done);
      this.#res.once('close', done);
      this.#signal.addEventListener('abort', done, { once: true });
    });
  }
}
