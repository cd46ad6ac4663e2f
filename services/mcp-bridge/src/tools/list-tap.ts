import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { Json } from '@stopgo/core';
import type { BridgeBounds } from '../bounds.ts';
import { type DefinitionBounds, definitionSize, sizeProblem } from './tool-definitions.ts';
import { leftOut, namelessLeftOut, type ToolProblem } from './tool-problem.ts';

/** What was taken off the wire. */
export type TappedList = {
  readonly definitions: readonly Json[];
  /** Why others are not among them. */
  readonly problems: readonly ToolProblem[];
};

type Collected = { readonly definitions: Json[]; readonly problems: ToolProblem[]; bytes: number };

/**
 * Takes tool definitions off the wire as they are. The MCP client checks a list as a whole, so that one wrong
 * definition would cost all of them, and its types leave out what the first servers wrote beside `annotations`. It is
 * given bare copies (name and schema) of the definitions that it can read, and that are within the bounds, because it
 * walks through schemas without any. The pin is made of what came in. What is beyond the bounds is not kept: a server may
 * have many pages of it.
 */
export class ListTap {
  #collected: Collected | undefined;
  readonly #seen = new WeakSet<object>();
  readonly #bounds: ListBounds;
  readonly #clean: (text: string) => string;

  /** `clean` gives a text without the credentials that the connection carries. */
  constructor(bounds: ListBounds, clean: (text: string) => string) {
    this.#bounds = bounds;
    this.#clean = clean;
  }

  /** Puts the tap between a transport and its client. To be called before the client connects. `beside` is shown each message, too. */
  attach(transport: Transport, beside: (message: JSONRPCMessage) => void = () => undefined): void {
    let handler: Transport['onmessage'];
    Object.defineProperty(transport, 'onmessage', {
      get: () => handler,
      set: (next: Transport['onmessage']) => {
        handler =
          next &&
          ((message, extra) => {
            beside(message);
            this.#take(message);
            next(message, extra);
          });
      },
    });
  }

  /** What came in while `list` ran, in its order, over all pages. */
  async collect(list: () => Promise<void>): Promise<TappedList> {
    const collected: Collected = { definitions: [], problems: [], bytes: 0 };
    this.#collected = collected;
    try {
      await list();
      return collected;
    } finally {
      this.#collected = undefined;
    }
  }

  /** What the client is given of a definition; undefined if it is not given it. */
  bare(definition: Json): BareDefinition | undefined {
    return sizeProblem(definition, this.#bounds) === undefined ? bareDefinition(definition) : undefined;
  }

  #take(message: JSONRPCMessage): void {
    if (this.#collected === undefined || !('result' in message)) return;
    const result: Record<string, unknown> = message.result;
    if (!Array.isArray(result.tools) || this.#seen.has(result)) return;
    this.#seen.add(result);
    const collected = this.#collected;
    const bare: BareDefinition[] = [];
    for (const definition of result.tools as Json[]) {
      const end = this.#endOf(collected);
      if (end !== undefined) {
        collected.problems.push({ line: `${end}; the others are left out` });
        // Ends the walk through its pages.
        delete result.nextCursor;
        break;
      }
      const size = definitionSize(definition, this.#bounds);
      if (typeof size === 'string') {
        collected.problems.push(tooLarge(definition, size, this.#clean));
        continue;
      }
      collected.bytes += size;
      collected.definitions.push(definition);
      const read = bareDefinition(definition);
      if (read !== undefined) bare.push(read);
    }
    result.tools = bare;
  }

  /** Why no more of a list is taken; undefined if it is. Whoever lists all the time would keep us from all else. */
  #endOf({ definitions, problems, bytes }: Collected): string | undefined {
    const { toolsPerServerMax, problemsMax, listBytesMax } = this.#bounds;
    const most = toolsPerServerMax + problemsMax;
    if (definitions.length + problems.length >= most) return `it lists more than ${most} tools`;
    return bytes > listBytesMax ? `its definitions have more than ${listBytesMax} bytes` : undefined;
  }
}

type ListBounds = DefinitionBounds & Pick<BridgeBounds, 'toolsPerServerMax' | 'problemsMax' | 'listBytesMax'>;

function tooLarge(definition: Json, problem: string, clean: (text: string) => string): ToolProblem {
  const name = typeof definition === 'object' && definition !== null && 'name' in definition ? definition.name : '';
  return typeof name === 'string' && name !== ''
    ? leftOut(clean(name), problem)
    : namelessLeftOut(`a tool without a name (${problem})`, problem);
}

type BareDefinition = { readonly name: string; readonly inputSchema: Json };

function bareDefinition(definition: Json): BareDefinition | undefined {
  if (typeof definition !== 'object' || definition === null || Array.isArray(definition)) return undefined;
  const { name, inputSchema } = definition as { readonly [key: string]: Json };
  if (typeof name !== 'string' || typeof inputSchema !== 'object' || inputSchema === null) return undefined;
  if (Array.isArray(inputSchema) || (inputSchema as { readonly [key: string]: Json }).type !== 'object')
    return undefined;
  return { name, inputSchema };
}
