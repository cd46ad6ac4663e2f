import type { Json } from '../text/json.ts';

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
  /** `ask`: a tool that gives neither a readOnlyHint nor a destructiveHint counts as destructive. */
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
 * Effective hints: annotations win over the top level, and `readOnlyHint: true` wins over everything. A missing destructive
 * hint means `true` beside `readOnlyHint: false`, as MCP defines it, and follows the configuration otherwise. A hint in a form
 * that MCP does not have ({@link malformedHint}) makes the tool destructive unless a readable hint says otherwise. A missing idempotent hint
 * means not idempotent, so that a call is not repeated by mistake.
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

/** Whether a tool says nothing of what it does: then the configuration (`unannotated`) decides whether people are asked. */
export function saysNothing(origins: HintOrigins): boolean {
  const isUnsaid = (from: HintOrigin): boolean => from === 'default' || from === 'configuration';
  return isUnsaid(origins.readOnly) && isUnsaid(origins.destructive);
}

/** What of the hints that approvals depend on is given in a form that they do not have; undefined if nothing is. */
export function malformedHint({ annotations, topLevelDestructive }: HintSource): string | undefined {
  return malformedAnnotation(annotations) ?? (isMalformed(topLevelDestructive) ? 'destructiveHint' : undefined);
}

/** Whether a tool says both that it only reads and that it destroys. That it only reads wins. */
export function saysBoth({ annotations, topLevelDestructive }: HintSource): boolean {
  if (!isMapping(annotations) || annotations.readOnlyHint !== true) return false;
  return (annotations.destructiveHint ?? topLevelDestructive) === true;
}

function malformedAnnotation(annotations: Json | undefined): string | undefined {
  if (annotations === undefined) return undefined;
  if (!isMapping(annotations)) return 'annotations';
  return ['readOnlyHint', 'destructiveHint'].find((name) => isMalformed(annotations[name]));
}

function isMalformed(hint: Json | undefined): boolean {
  return hint !== undefined && typeof hint !== 'boolean';
}

function isMapping(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readHints(source: HintSource): { readonly [hint in keyof Hints]: Hint } {
  const annotations = isMapping(source.annotations) ? source.annotations : {};
  const annotated = (name: string): Hint | undefined => {
    const value = annotations[name];
    return typeof value === 'boolean' ? { value, from: 'annotations' } : undefined;
  };
  const byDefault = (value: boolean): Hint => ({ value, from: 'default' });
  const unsaid: Hint = source.unannotated === 'ask' ? { value: true, from: 'configuration' } : byDefault(false);
  // The protocol's own default of destructiveHint, which counts where a tool says that it does not only read.
  const unlessReadOnly: Hint | undefined = annotations.readOnlyHint === false ? byDefault(true) : undefined;
  const { topLevelDestructive } = source;
  // What cannot be read counts as `true`.
  const topLevel: Hint | undefined =
    topLevelDestructive === undefined ? undefined : { value: topLevelDestructive !== false, from: 'top_level' };
  const unreadable: Hint | undefined =
    malformedAnnotation(source.annotations) === undefined ? undefined : { value: true, from: 'annotations' };
  const rest = {
    readOnly: annotated('readOnlyHint') ?? byDefault(false),
    openWorld: annotated('openWorldHint') ?? byDefault(true),
  };
  return rest.readOnly.value
    ? { ...rest, destructive: { value: false, from: 'read_only' }, idempotent: { value: true, from: 'read_only' } }
    : {
        ...rest,
        destructive: annotated('destructiveHint') ?? unreadable ?? topLevel ?? unlessReadOnly ?? unsaid,
        idempotent: annotated('idempotentHint') ?? byDefault(false),
      };
}

/** What policy makes of a call, and which rule said so. */
export type Verdict = { readonly kind: 'allow' | 'ask' | 'deny'; readonly reason: string };

/** What a verdict follows from: what the tool says of itself, and what the configuration wants. */
export type JudgedTool = {
  readonly hints: Hints;
  /** The tool's server wants each call approved. */
  readonly approvalRequired: boolean;
};

/** The verdict on a call of a tool; `what`: the noun for it in reasons. */
export function policyVerdict({ hints, approvalRequired }: JudgedTool, what = 'the tool'): Verdict {
  if (approvalRequired) return { kind: 'ask', reason: 'approval is required by configuration' };
  if (hints.destructive) return { kind: 'ask', reason: `${what} is destructive` };
  if (hints.readOnly) return { kind: 'allow', reason: `${what} only reads` };
  return { kind: 'allow', reason: `${what} is not destructive` };
}

/** True if a call of the tool may be made again without harm. */
export function isRepeatable(hints: Hints): boolean {
  return hints.readOnly || hints.idempotent;
}
