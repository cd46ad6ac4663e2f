import { canonicalJson, type Json, type OfferedTool, toolPin } from '@stopgo/core';
import type { AttemptKey } from '@stopgo/orchestrator';
import { checkEffect } from './checks-now.ts';
import type { ToolEffect } from './gated.ts';
import type { World } from './world.ts';

type Kind = {
  readonly server: string;
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly approvalRequired?: boolean;
  readonly forwardsBearer?: boolean;
};

/** One tool of each sort: repeatable or not, gated or not, by hint or by configuration, with the caller's token or not. */
const kinds: Readonly<Record<string, Kind>> = {
  look: { server: 'files', readOnly: true, idempotent: true },
  put: { server: 'files', idempotent: true },
  note: { server: 'files' },
  pay: { server: 'bank', destructive: true },
  wipe: { server: 'bank', destructive: true, idempotent: true },
  ask: { server: 'bank', approvalRequired: true },
  mail: { server: 'mail', forwardsBearer: true },
  fire: { server: 'mail', forwardsBearer: true, destructive: true },
};

export const toolNames = Object.keys(kinds);
/** Those that need an approval as they are at first, wherever they are called with `approval: require`. */
export const gatedToolNames = toolNames.filter(
  (name) => kinds[name]?.destructive === true || kinds[name]?.approvalRequired === true,
);

/** The tool servers, which outlive every process of the platform, and an independent journal of what they did. */
export class ToolServers {
  readonly journal: ToolEffect[] = [];
  private readonly world: World;
  private readonly versions = new Map<string, number>();
  private latest: ReadonlyMap<string, OfferedTool> | undefined;

  constructor(world: World) {
    this.world = world;
  }

  /** The tools as they are defined now. */
  catalogue(): ReadonlyMap<string, OfferedTool> {
    this.latest ??= new Map(toolNames.map((name) => [name, this.define(name)]));
    return this.latest;
  }

  definitionsByPin(): ReadonlyMap<string, string> {
    return new Map([...this.catalogue().values()].map((tool) => [tool.pin, definitionOf(tool)]));
  }

  /** A server changes a tool: its description, and sometimes what it says of its harm. */
  change(name: string): void {
    this.versions.set(name, (this.versions.get(name) ?? 0) + 1);
    this.latest = undefined;
    this.world.trace(() => `tool ${name} changes`);
  }

  /** The tool does what it does, for good. */
  run(key: AttemptKey, bridge: string, tool: OfferedTool, argumentsJson: string): void {
    const effect: ToolEffect = {
      ...key,
      at: this.world.scheduler.now,
      bridge,
      tool: tool.name,
      argumentsJson,
      definition: tool,
    };
    this.journal.push(effect);
    checkEffect(this.world, effect);
    this.world.count('tool effects');
    this.world.trace(
      () => `tool ${tool.name} runs for ${key.callId} attempt ${key.attempt} of c-${key.conversationId.slice(-4)}`,
    );
  }

  private define(name: string): OfferedTool {
    const kind = kinds[name] as Kind;
    const version = this.versions.get(name) ?? 0;
    // Every second change makes a tool that was harmless declare harm.
    const destructive = kind.destructive === true || (version % 2 === 1 && kind.readOnly !== true);
    const hints = {
      readOnly: kind.readOnly === true,
      destructive,
      idempotent: kind.idempotent === true,
      openWorld: true,
    };
    const tool = {
      target: { kind: 'tool', server: kind.server } as const,
      name,
      description: `${name}, edition ${version}`,
      inputSchemaJson: '{"type":"object"}',
      pin: '',
      hints,
      approvalRequired: kind.approvalRequired === true,
      forwardsBearer: kind.forwardsBearer === true,
    };
    return { ...tool, pin: toolPin(JSON.parse(definitionOf(tool)) as Json).pin };
  }
}

function definitionOf({ name, description, hints }: OfferedTool): string {
  return canonicalJson({ name, description, hints: { ...hints } });
}
