import {
  type AccountFact,
  type ConversationFact,
  type DefinitionFact,
  type Fact,
  fact,
  type LinkFact,
  type MemoryFact,
  type PersonFact,
  type PushFact,
  type RecordedFact,
  type RepositoryFact,
} from '../events/facts.ts';
import type { StreamName } from '../events/ids.ts';
import { sha256Hex } from '../text/digest.ts';
import { canonicalJson } from '../text/json.ts';

/** A tool as far as its acceptance goes: its name, and the digest of its definition. */
export type PinnedTool = { readonly name: string; readonly pin: string };

/** What was accepted of one tool server: the fold of its stream. */
export type Pins = {
  /** Revision of the last event folded; 0 before the first. */
  readonly revision: number;
  /** Whether the server was ever met. Nothing that it offers from then on is accepted by itself. */
  readonly isMet: boolean;
  /** By name. */
  readonly accepted: ReadonlyMap<string, { readonly pin: string; readonly byHand: boolean }>;
};

/** A server that was never met. */
export const unmet: Pins = { revision: 0, isMet: false, accepted: new Map() };

/** How a tool stands to what was accepted of its server. The last two are held. */
export type PinState = 'first_use' | 'accepted' | 'new' | 'changed';

/** A tool server as it is recorded. */
export type ToolServer = {
  readonly identity: string;
  readonly server: string;
  /** "stdio" or "http". */
  readonly transport: string;
  /** The command without its arguments, or the URL without what may be a credential. */
  readonly address: string;
};

export const pinsStreamPrefix = 'pins-';

/** The stream that holds what was accepted of a tool server. */
export function pinsStream(identity: string): StreamName {
  return `${pinsStreamPrefix}${identity}` as StreamName;
}

/**
 * Who a tool server is: its name in the configuration and all that says what is started or reached under it. Another name, command,
 * argument or URL is another server.
 */
export function serverIdentity(name: string, transport: string, where: readonly string[]): string {
  return sha256Hex(canonicalJson({ v: 1, name, transport, where: [...where] }));
}

/** Folds one event of a server's stream. Other events change nothing but the revision. */
export function evolvePins(pins: Pins, { revision, fact: one }: RecordedFact): Pins {
  switch (one.case) {
    case 'toolServerMet':
      // A server is met once. Said again it accepts nothing, whoever says it.
      if (pins.isMet) return { ...pins, revision };
      return { revision, isMet: true, accepted: withAccepted(pins.accepted, one.value.tools, false) };
    case 'toolsAccepted':
      return { ...pins, revision, accepted: withAccepted(pins.accepted, one.value.tools, true) };
    default:
      one.case satisfies
        | ConversationFact
        | DefinitionFact
        | PersonFact
        | PushFact
        | LinkFact
        | RepositoryFact
        | MemoryFact
        | AccountFact;
      return { ...pins, revision };
  }
}

function withAccepted(accepted: Pins['accepted'], tools: readonly PinnedTool[], byHand: boolean): Pins['accepted'] {
  const next = new Map(accepted);
  for (const { name, pin } of tools) next.set(name, { pin, byHand });
  return next;
}

/** How a tool stands. It is known by its name: under another one it is new, whatever it looks like. */
export function pinState({ accepted }: Pins, { name, pin }: PinnedTool): PinState {
  const known = accepted.get(name);
  if (known === undefined) return 'new';
  if (known.pin !== pin) return 'changed';
  return known.byHand ? 'accepted' : 'first_use';
}

/** True for a tool that must neither be offered nor called. */
export function isHeld(standing: PinState): boolean {
  return standing === 'new' || standing === 'changed';
}

/** The fact that a server was met, with what it offers; none if it was met before. `strict`: nothing is accepted by that. */
export function meetServer(pins: Pins, server: ToolServer, tools: readonly PinnedTool[], strict: boolean): Fact[] {
  if (pins.isMet) return [];
  return [fact('toolServerMet', { ...server, strict, tools: strict ? [] : tools.map(bare) })];
}

/** The fact that somebody accepts tools as they are; none if all of them are accepted so already. */
export function acceptTools(pins: Pins, tools: readonly PinnedTool[]): Fact[] {
  const held = tools.filter((tool) => isHeld(pinState(pins, tool)));
  return held.length === 0 ? [] : [fact('toolsAccepted', { tools: held.map(bare) })];
}

function bare({ name, pin }: PinnedTool): PinnedTool {
  return { name, pin };
}
