import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { Json } from '@stopgo/core';
import { type DefinitionBounds, sizeProblem } from './tool-definitions.ts';

/**
 * Takes tool definitions off the wire as they are. The MCP client checks a list as a whole, so that one wrong
 * definition would cost all of them, and its types leave out what the first servers wrote beside `annotations`. It is
 * given bare copies (name and schema) of the definitions that it can read, and that are within the bounds, because it
 * walks through schemas without any. The pin is made of what came in.
 */
export class ListTap {
  #collected: Json[] | undefined;
  readonly #seen = new WeakSet<object>();
  readonly #bounds: DefinitionBounds;

  constructor(bounds: DefinitionBounds) {
    this.#bounds = bounds;
  }

  /** Puts the tap between a transport and its client. To be called before the client connects. */
  attach(transport: Transport): void {
    let handler: Transport['onmessage'];
    Object.defineProperty(transport, 'onmessage', {
      get: () => handler,
      set: (next: Transport['onmessage']) => {
        handler =
          next &&
          ((message, extra) => {
            this.#take(message);
            next(message, extra);
          });
      },
    });
  }

  /** The definitions that came in while `list` ran, in their order, over all pages. */
  async collect(list: () => Promise<void>): Promise<readonly Json[]> {
    const collected: Json[] = [];
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
    return bareDefinition(definition, this.#bounds);
  }

  #take(message: JSONRPCMessage): void {
    if (this.#collected === undefined || !('result' in message)) return;
    const result: Record<string, unknown> = message.result;
    if (!Array.isArray(result.tools) || this.#seen.has(result)) return;
    this.#seen.add(result);
    const definitions = result.tools as Json[];
    const collected = this.#collected;
    result.tools = definitions.flatMap((definition) => {
      collected.push(definition);
      return this.bare(definition) ?? [];
    });
  }
}

type BareDefinition = { readonly name: string; readonly inputSchema: Json };

function bareDefinition(definition: Json, bounds: DefinitionBounds): BareDefinition | undefined {
  if (typeof definition !== 'object' || definition === null || Array.isArray(definition)) return undefined;
  const { name, inputSchema } = definition as { readonly [key: string]: Json };
  if (typeof name !== 'string' || typeof inputSchema !== 'object' || inputSchema === null) return undefined;
  if (Array.isArray(inputSchema) || (inputSchema as { readonly [key: string]: Json }).type !== 'object')
    return undefined;
  return sizeProblem(definition, bounds) === undefined ? { name, inputSchema } : undefined;
}
