import type { Logger } from '@stopgo/runtime';
import {
  assembleCatalogue,
  type Catalogue,
  type CatalogueProblem,
  type CatalogueTool,
  emptyCatalogue,
} from '../tools/catalogue.ts';
import type { Pinnable } from '../tools/server-pins.ts';
import { tellHeld } from '../tools/tell-tools.ts';
import { isOptional, type ToolServer } from './tool-servers.ts';

/** The tools of all servers as they are now: empty until it begins, then put together anew with each change. */
export class LiveCatalogue {
  readonly #servers: readonly ToolServer[];
  readonly #bytesMax: number;
  readonly #log: Logger;
  #now = emptyCatalogue;
  #leftOut: readonly CatalogueProblem[] = [];
  #begun = false;

  constructor(servers: readonly ToolServer[], bytesMax: number, log: Logger) {
    this.#servers = servers;
    this.#bytesMax = bytesMax;
    this.#log = log;
  }

  get now(): Catalogue {
    return this.#now;
  }

  /** To be called when all servers that are waited for have been opened. */
  begin(): void {
    this.#begun = true;
    this.#assemble();
  }

  /** To be called when a server has other tools, or something else is accepted of it. */
  changed(): void {
    if (this.#begun) this.#assemble();
  }

  /** A tool of a server, also one that is held. */
  find(server: string, name: string): CatalogueTool | undefined {
    return [...this.#now.tools, ...this.#now.held].find((tool) => tool.server === server && tool.name === name);
  }

  /** What could not be taken in of a server's tools. */
  leftOutOf(server: string): readonly CatalogueProblem[] {
    return this.#leftOut.filter((one) => one.server === server);
  }

  #assemble(): void {
    // Who is insisted on comes first: a server that may come late takes no name from it.
    const sources = this.#servers.toSorted((a, b) => Number(isOptional(a)) - Number(isOptional(b))).map(sourceOf);
    const { catalogue, problems } = assembleCatalogue(sources, this.#now, this.#bytesMax);
    for (const one of problems.filter((problem) => !this.#isKnown(problem) && this.#admits(problem.server)))
      this.#log.warn(`tool "${one.tool}" of MCP server "${one.server}" is left out: ${one.problem}`);
    tellHeld(this.#now, catalogue, (server) => this.#admits(server), this.#log);
    this.#now = catalogue;
    this.#leftOut = problems;
  }

  #isKnown({ server, tool }: CatalogueProblem): boolean {
    return this.#leftOut.some((one) => one.server === server && one.tool === tool);
  }

  /** Whether another line about a server may be written now. */
  #admits(server: string): boolean {
    const one = this.#servers.find(({ connection }) => connection.config.name === server);
    return one?.connection.listing.lines.admits() ?? true;
  }
}

function sourceOf({ connection, pins }: ToolServer) {
  const withPin = <Offered extends Pinnable>(one: Offered) => ({ ...one, pinState: pins.standing(one) });
  const { config, tools, listing } = connection;
  return { config, tools: tools.map(withPin), instructions: listing.instructions && withPin(listing.instructions) };
}
