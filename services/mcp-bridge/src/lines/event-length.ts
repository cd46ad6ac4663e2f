const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Counts how long the event is that an event stream is in the midst of: what its reader has to keep until it is whole. */
export class EventLength {
  #bytes = 0;
  #lineIsEmpty = true;
  #last = 0;

  /** Takes the next bytes of the stream; gives how many the event at their end, or the longest that ended in them, has. */
  after(chunk: Uint8Array): number {
    let longest = 0;
    for (const byte of chunk) {
      const isSecondOfPair = byte === lineFeed && this.#last === carriageReturn;
      this.#last = byte;
      this.#bytes += 1;
      if (isSecondOfPair) continue;
      if (byte !== lineFeed && byte !== carriageReturn) {
        this.#lineIsEmpty = false;
        continue;
      }
      if (this.#lineIsEmpty) {
        longest = Math.max(longest, this.#bytes);
        this.#bytes = 0;
      }
      this.#lineIsEmpty = true;
    }
    return Math.max(longest, this.#bytes);
  }
}
