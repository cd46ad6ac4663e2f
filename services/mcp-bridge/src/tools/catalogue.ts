import { byteLength, canonicalJson, isHeld, type PinState, sha256Hex } from '@stopgo/core';
import { LookAlikes, looksLike } from './look-alikes.ts';
import type { ServerInstructions } from './server-instructions.ts';
import type { DefinedTool } from './tool-definitions.ts';

/** A tool, and how it stands to what was accepted of its server. */
export type CatalogueTool = DefinedTool & { readonly pinState: PinState };

/** What a server says of its tools, and how that stands to what was accepted of it. */
export type CatalogueInstructions = ServerInstructions & { readonly pinState: PinState };

/** One server's part of the catalogue. */
export type CatalogueSource = {
  readonly config: { readonly name: string };
  readonly tools: readonly CatalogueTool[];
  readonly instructions?: CatalogueInstructions | undefined;
};

/** The tools of all servers. */
export type Catalogue = {
  /** Digest over everything in it. */
  readonly revision: string;
  /** Those that may be used. */
  readonly tools: readonly CatalogueTool[];
  /** Those that nobody has accepted as they are. */
  readonly held: readonly CatalogueTool[];
  /** What their servers say of them; that too may be held. */
  readonly instructions: readonly CatalogueInstructions[];
};

/** What could not be taken in: of which server, and why. */
export type CatalogueProblem = { readonly server: string; readonly tool: string; readonly problem: string };

/** Two servers with tools of the same names, one at least; in the order of the configuration. */
export type SharedTools = { readonly tools: readonly string[]; readonly first: string; readonly second: string };

/** What to do about two servers with tools that cannot be told apart by their names. */
export const clashRemedy = 'give the tools of one of them a tools.prefix, or leave the tool out of one with tools.deny';

/** All tool names that two servers share: of the first two that share any. */
export function sharedTools(
  sources: readonly { readonly config: { readonly name: string }; readonly tools: readonly DefinedTool[] }[],
): SharedTools | undefined {
  const owners = new Map<string, string>();
  for (const { config, tools } of sources) {
    const first = tools.map(({ name }) => owners.get(name)).find((owner) => owner !== undefined);
    if (first !== undefined) {
      const shared = tools.filter(({ name }) => owners.get(name) === first);
      return { tools: shared.map(({ name }) => name), first, second: config.name };
    }
    for (const { name } of tools) owners.set(name, config.name);
  }
  return undefined;
}

/** That two servers share names of tools, in one line: one name, or the first of many. */
export function sharedToolsText({ tools: [tool = '', ...others], first, second }: SharedTools): string {
  const shown = others.slice(0, othersShownMax).map((name) => `"${name}"`);
  const rest = others.length - shown.length;
  const more = others.length === 0 ? '' : `; they share ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''} too`;
  return `duplicate tool name "${tool}" found in MCP servers "${first}" and "${second}"${more}; ${clashRemedy}`;
}

/** How many shared names are told beside the first. */
const othersShownMax = 9;

/**
 * Puts the catalogue together. A name that two servers share belongs to the one that had it in `before`: a server that
 * changes its list while we run cannot take over another's tool. A tool that is held takes no name from any other.
 */
export function assembleCatalogue(
  sources: readonly CatalogueSource[],
  before: Catalogue,
  bytesMax: number,
): { readonly catalogue: Catalogue; readonly problems: readonly CatalogueProblem[] } {
  const owners = new Map<string, string>();
  const lookAlikes = new LookAlikes<{ readonly server: string; readonly name: string }>();
  for (const { server, name } of before.tools) {
    const isStill = (tool: CatalogueTool) => tool.name === name && !isHeld(tool.pinState);
    const still = sources.some((source) => source.config.name === server && source.tools.some(isStill));
    if (!still) continue;
    owners.set(name, server);
    lookAlikes.add(name, { server, name });
  }
  const tools: CatalogueTool[] = [];
  const held: CatalogueTool[] = [];
  const problems: CatalogueProblem[] = [];
  let bytes = 0;
  const all = sources.flatMap((source) => source.tools);
  for (const tool of all.toSorted((a, b) => Number(isHeld(a.pinState)) - Number(isHeld(b.pinState)))) {
    const owner = owners.get(tool.name) ?? tool.server;
    if (owner !== tool.server) {
      problems.push({ server: tool.server, tool: tool.name, problem: clashOf(owner, tool.server) });
      continue;
    }
    const like = lookAlikes.find(tool.name);
    if (like !== undefined && like.name !== tool.name) {
      const problem = `${looksLike(tool.name, like.name)} of "${like.server}"; ${clashRemedy}`;
      problems.push({ server: tool.server, tool: tool.name, problem });
      continue;
    }
    bytes += byteLength(tool.definitionJson);
    if (bytes > bytesMax) {
      problems.push({ server: tool.server, tool: tool.name, problem: `all definitions exceed ${bytesMax} bytes` });
      continue;
    }
    if (isHeld(tool.pinState)) {
      held.push(tool);
      continue;
    }
    owners.set(tool.name, tool.server);
    lookAlikes.add(tool.name, tool);
    tools.push(tool);
  }
  const identity = [...tools, ...held].map((tool) => {
    const { server, name, ownName, pin, hints, approvalRequired, forwardsBearer, pinState } = tool;
    return [server, name, ownName, pin, { ...hints }, approvalRequired, forwardsBearer, pinState];
  });
  const instructions = sources.flatMap((source) => source.instructions ?? []);
  const said = instructions.map(({ server, pin, pinState }) => [server, pin, pinState]);
  const revision = sha256Hex(canonicalJson([identity, said]));
  return { catalogue: { revision, tools, held, instructions }, problems };
}

function clashOf(owner: string, other: string): string {
  return `the MCP servers "${owner}" and "${other}" both have a tool of that name, and "${owner}" keeps it; ${clashRemedy}`;
}

/** A catalogue without tools. */
export const emptyCatalogue: Catalogue = assembleCatalogue(
  [],
  { revision: '', tools: [], held: [], instructions: [] },
  0,
).catalogue;
