/** One message of an event stream. */
export type StreamMessage = {
  /** From where to go on after it; undefined if it has no place of its own. */
  readonly id: string | undefined;
  readonly name: string;
  /** Undefined: it only tells the place to go on from. */
  readonly data: string | undefined;
};

/** Longest message, in characters. The platform's own are far below. */
export const messageCharactersMax = 16 * 1024 * 1024;

/**
 * Reads an event stream as it comes, in pieces that may end anywhere. Parsers as browsers have them leave out what has an id and no data,
 * and that id is a place to go on from.
 */
export class ServerSentParser {
  #rest = '';
  #isAfterReturn = false;
  #id: string | undefined;
  #name = '';
  #data: string[] = [];
  #characters = 0;

  /** The messages that are whole now. @throws RangeError if one is too long. */
  feed(piece: string): StreamMessage[] {
    // A line break of two characters may be cut in two.
    const text = this.#isAfterReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    if (piece !== '') this.#isAfterReturn = piece.endsWith('\r');
    const lines = text.split(/\r\n|\n|\r/);
    lines[0] = this.#rest + (lines[0] ?? '');
    this.#rest = lines.pop() ?? '';
    const messages = lines.flatMap((line) => this.#take(line));
    if (this.#characters + this.#rest.length > messageCharactersMax)
      throw new RangeError(`a message of the event stream has more than ${messageCharactersMax} characters`);
    return messages;
  }

  #take(line: string): StreamMessage[] {
    if (line === '') return this.#end();
    this.#characters += line.length;
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#name = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    return [];
  }

  #end(): StreamMessage[] {
    const [id, name, data] = [this.#id, this.#name, this.#data];
    [this.#id, this.#name, this.#data, this.#characters] = [undefined, '', [], 0];
    if (id === undefined && data.length === 0) return [];
    return [{ id, name: name === '' ? 'message' : name, data: data.length === 0 ? undefined : data.join('\n') }];
  }
}
