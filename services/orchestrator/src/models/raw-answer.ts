import { AmbiguousMember, type JsonStep, objectTextsAt } from '@stopgo/core';

/** Said when arguments that an SDK has parsed cannot be found in what the provider sent. */
export const argumentsNotFound = 'the arguments of its calls could not be read as they were sent';

/**
 * The bodies of an answer as they came, kept beside what an SDK makes of them. An SDK parses a provider's events, and where the
 * arguments of a call are an object in such an event, it has dropped by then what `JSON.parse` does not keep.
 */
export class RawAnswer {
  readonly #bodies: Uint8Array[][] = [];

  /** Begins the body of another request; the function given back takes its bytes. */
  readonly body = (): ((bytes: Uint8Array) => void) => {
    const chunks: Uint8Array[] = [];
    this.#bodies.push(chunks);
    return (bytes) => void chunks.push(bytes);
  };

  /**
   * The texts of objects that an SDK has parsed, each as it was sent: those that `path` leads to in the events of the answer, in
   * their order. Undefined if what stands there are not the same objects. Costs nothing where all of them are empty.
   */
  textsOf(parsed: readonly object[], path: readonly JsonStep[]): readonly string[] | undefined {
    if (parsed.every((one) => Object.keys(one).length === 0)) return parsed.map(() => '{}');
    try {
      const texts = this.#bodies.flatMap((chunks) =>
        eventsOf(Buffer.concat(chunks).toString('utf8')).flatMap((event) => objectTextsAt(event, path)),
      );
      const isSame = texts.length === parsed.length && texts.every((text, at) => isTextOf(text, parsed[at]));
      return isSame ? texts : undefined;
    } catch (error) {
      if (error instanceof AmbiguousMember || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}

function isTextOf(text: string, parsed: object | undefined): boolean {
  return JSON.stringify(JSON.parse(text)) === JSON.stringify(parsed);
}

/** The data of the server-sent events of a body that hold an object (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
function eventsOf(body: string): string[] {
  const events: string[] = [];
  let data: string[] = [];
  for (const line of [...body.split(/\r\n|\n|\r/), '']) {
    if (line.startsWith('data:')) data.push(line.slice('data:'.length));
    else if (line === '' && data.length > 0) {
      events.push(data.join('\n').trim());
      data = [];
    }
  }
  return events.filter((event) => event.startsWith('{'));
}
