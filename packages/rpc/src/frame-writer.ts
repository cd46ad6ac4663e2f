/** The writing end of an exchange: both of grpc-js's streams have it. */
type Stream = { write(message: Buffer, written: (error?: Error | null) => void): unknown };

/**
 * Hands messages to a stream as fast as its peer reads: the next is asked for when the last has been taken, and holds all
 * that came up until then. What one piece of input brings up leaves as one message, before the next piece is looked at: the
 * socket is then written in the same turn of the event loop.
 */
export class FrameWriter {
  readonly #stream: Stream;
  readonly #take: () => Buffer | undefined;
  #scheduled = false;
  #stopped = false;

  /** `take` gives the next message, or nothing; it is asked again until it gives nothing. */
  constructor(stream: Stream, take: () => Buffer | undefined) {
    this.#stream = stream;
    this.#take = take;
  }

  /** There is something to send. */
  wake(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    process.nextTick(this.#write);
  }

  /** Sends nothing any more. */
  stop(): void {
    this.#stopped = true;
  }

  readonly #write = (): void => {
    const message = this.#stopped ? undefined : this.#take();
    if (message === undefined) {
      this.#scheduled = false;
      return;
    }
    // The stream says its end by itself; after an error there is nothing more to write.
    this.#stream.write(message, (error) => {
      if (error === undefined || error === null) this.#write();
    });
  };
}
