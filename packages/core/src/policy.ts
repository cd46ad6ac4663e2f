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
 * Where an effective hint comes from: the tool's `annotations`; its top level; its `readOnlyHint: true`, which decides the
 * others as well; the configuration (`unannotated: ask`); or, where nobody says anything, the default of the protocol's hint as
 * we read it.
 */
export type HintOrigin = 'annotations' | 'top_level' | 'read_only' | 'configuration' | 'default';

/** Where each effective hint comes from. */
export type HintOrigins = { readonly [hint in keyof Hints]: HintOrigin };

type Hint = { readonly value: boolean; readonly from: HintOrigin };

/**
 * Effective hints (X39 to X41): annotations win over the top level, `readOnlyHint: true` wins over everything, an absent
 * destructive hint follows the configuration. A hint that is no boolean counts as absent. A missing idempotent hint
 * means not idempotent: for repeats the cautious reading holds.
 */
export function effectiveHints(source: HintSource): Hints {
  const { readOnly, destructive, idempotent, openWorld } = readHints(source);
  return {
    readOnly: readOnly.value,
    destructive: destructive.value,
    idempotent: idempotent.value,
    openWorld: openWorld.value,
  };
}

/** Where each of the {@link effectiveHints} comes from. */
export function hintOrigins(source: HintSource): HintOrigins {
  const { readOnly, destructive, idempotent, openWorld } = readHints(source);
  return {
    readOnly: readOnly.from,
    destructive: destructive.from,
    idempotent: idempotent.from,
    openWorld: openWorld.from,
  };
}

function readHints(source: HintSource): { readonly [hint in keyof Hints]: Hint } {
  const annotations =
    typeof source.annotations === 'object' && source.annotations !== null && !Array.isArray(source.annotations)
      ? (source.annotations as { readonly [key: string]: Json })
      : {};
  const annotated = (name: string): Hint | undefined => {
    const value = annotations[name];
    return typeof value === 'boolean' ? { value, from: 'annotations' } : undefined;
  };
  const byDefault = (value: boolean): Hint => ({ value, from: 'default' });
  const unsaid: Hint = source.unannotated === 'ask' ? { value: true, from: 'configuration' } : byDefault(false);
  const topLevel: Hint | undefined =
    typeof source.topLevelDestructive === 'boolean'
      ? { value: source.topLevelDestructive, from: 'top_level' }
      : undefined;
  const rest = {
    readOnly: annotated('readOnlyHint') ?? byDefault(false),
    openWorld: annotated('openWorldHint') ?? byDefault(true),
  };
  return rest.readOnly.value
    ? { ...rest, destructive: { value: false, from: 'read_only' }, idempotent: { value: true, from: 'read_only' } }
    : {
        ...rest,
        destructive: annotated('destructiveHint') ?? topLevel ?? unsaid,
        idempotent: annotated('idempotentHint') ?? byDefault(false),
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
