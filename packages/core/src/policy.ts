import type { Json } from './json.ts';

/** Hints that hold for a tool: declared ones, or the defaults of the configuration. */
export type Hints = {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
};

/** What a server declared, from wherever it put it, and how an absent destructive hint is read. */
export type HintSource = {
  /** The tool's `annotations` object, if any. */
  readonly annotations?: Json;
  /** The tool's own top-level `destructiveHint`, as servers of the first days gave it. */
  readonly topLevelDestructive?: Json;
  /** `ask`: a tool that neither says readOnlyHint: true nor gives a destructiveHint counts as destructive. */
  readonly unannotated: 'run' | 'ask';
};

/**
 * Effective hints (X39 to X41): annotations win over the top level, `readOnlyHint: true` wins over everything, an absent
 * destructive hint follows the configuration. A hint that is no boolean counts as absent. A missing idempotent hint
 * means not idempotent: for repeats the cautious reading holds.
 */
export function effectiveHints(source: HintSource): Hints {
  const annotations =
    typeof source.annotations === 'object' && source.annotations !== null && !Array.isArray(source.annotations)
      ? (source.annotations as { readonly [key: string]: Json })
      : {};
  const hint = (name: string): boolean | undefined => {
    const value = annotations[name];
    return typeof value === 'boolean' ? value : undefined;
  };
  const readOnly = hint('readOnlyHint') === true;
  const topLevel = typeof source.topLevelDestructive === 'boolean' ? source.topLevelDestructive : undefined;
  const destructive = hint('destructiveHint') ?? topLevel ?? source.unannotated === 'ask';
  return {
    readOnly,
    destructive: !readOnly && destructive,
    idempotent: readOnly || hint('idempotentHint') === true,
    openWorld: hint('openWorldHint') ?? true,
  };
}

/** What policy makes of a call, and which rule said so. */
export type Verdict = { readonly kind: 'allow' | 'ask' | 'deny'; readonly reason: string };

/** Where a call stands: what its tool is, and what its place in the configuration wants. */
export type CallPlace = {
  readonly hints: Hints;
  /** The tool's server wants each call approved. */
  readonly approvalRequired: boolean;
  /** Present if it is no tool but another agent. */
  readonly agent?: string;
};

/** The verdict on a call from the hints of its tool and the configuration. */
export function policyVerdict(place: CallPlace): Verdict {
  if (place.approvalRequired) return { kind: 'ask', reason: 'approval is required by configuration' };
  const what = place.agent === undefined ? 'the tool' : 'the agent';
  if (place.hints.destructive) return { kind: 'ask', reason: `${what} is destructive` };
  if (place.hints.readOnly) return { kind: 'allow', reason: `${what} only reads` };
  return { kind: 'allow', reason: `${what} is not destructive` };
}

/** True if a call of the tool may be made again without harm. */
export function isRepeatable(hints: Hints): boolean {
  return hints.readOnly || hints.idempotent;
}
