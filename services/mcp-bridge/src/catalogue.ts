import { byteLength, canonicalJson, isHeld, type PinStanding, sha256Hex } from '@stopgo/core';
import { LookAlikes, looksLike } from './look-alikes.ts';
import type { DefinedTool } from './tool-definitions.ts';

/** A tool, and how it stands to what was accepted of its server. */
export type CatalogueTool = DefinedTool & { readonly pinStanding: PinStanding };

/** One server's part of the catalogue. */
export type CatalogueSource = { readonly config: { readonly name: string }; readonly tools: readonly CatalogueTool[] };

/** The tools of all servers. */
export type Catalogue = {
  /** Digest over everything in it. */
  readonly revision: string;
  /** Those that may be used. */
  readonly tools: readonly CatalogueTool[];
  /** Those that nobody has accepted as they are. */
  readonly held: readonly CatalogueTool[];
};

/** What could not be taken in: of which server, and why. */
export type CatalogueProblem = { readonly server: string; readonly tool: string; readonly problem: string };

/** Two servers with a tool of the same name; in the order of the configuration. */
export type DuplicateTool = { readonly tool: string; readonly first: string; readonly second: string };

/** The first tool name that two servers share, if any. */
export function duplicateTool(
  sources: readonly { readonly config: { readonly name: string }; readonly tools: readonly DefinedTool[] }[],
): DuplicateTool | undefined {
  const owners = new Map<string, string>();
  for (const { config, tools } of sources) {
    for (const { name } of tools) {
      const first = owners.get(name);
      if (first !== undefined) return { tool: name, first, second: config.name };
      owners.set(name, config.name);
    }
  }
  return undefined;
}

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
    const isStill = (tool: CatalogueTool) => tool.name === name && !isHeld(tool.pinStanding);
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
  for (const tool of all.toSorted((a, b) => Number(isHeld(a.pinStanding)) - Number(isHeld(b.pinStanding)))) {
    const owner = owners.get(tool.name) ?? tool.server;
    if (owner !== tool.server) {
      problems.push({ server: tool.server, tool: tool.name, problem: `"${owner}" has one of that name` });
      continue;
    }
    const like = lookAlikes.find(tool.name);
    if (like !== undefined && like.name !== tool.name) {
      const problem = `${looksLike(tool.name, like.name)} of "${like.server}"`;
      problems.push({ server: tool.server, tool: tool.name, problem });
      continue;
    }
    bytes += byteLength(tool.definitionJson);
    if (bytes > bytesMax) {
      problems.push({ server: tool.server, tool: tool.name, problem: `all definitions exceed ${bytesMax} bytes` });
      continue;
    }
    if (isHeld(tool.pinStanding)) {
      held.push(tool);
      continue;
    }
    owners.set(tool.name, tool.server);
    lookAlikes.add(tool.name, tool);
    tools.push(tool);
  }
  const identity = [...tools, ...held].map((tool) => {
    const { server, name, pin, hints, approvalRequired, forwardsBearer, pinStanding } = tool;
    return [server, name, pin, { ...hints }, approvalRequired, forwardsBearer, pinStanding];
  });
  return { catalogue: { revision: sha256Hex(canonicalJson(identity)), tools, held }, problems };
}

/** A catalogue without tools. */
export const emptyCatalogue: Catalogue = assembleCatalogue([], { revision: '', tools: [], held: [] }, 0).catalogue;
