import { facts } from '@stopgo/proto';
import { parseJson } from '../text/json.ts';

/** How an agent says that it has done its task. */
export type Completion = {
  readonly result: string;
  readonly status: 'SUCCESS' | 'PARTIAL' | 'FAILED';
  /** From 0 to 1; absent: it does not say. */
  readonly confidence?: number;
  readonly requiresFollowup: boolean;
  /** A JSON object; absent: none. */
  readonly metadataJson?: string;
};

/** What an agent may say of its task. */
export const completionStatuses = ['SUCCESS', 'PARTIAL', 'FAILED'] as const;

/** What the arguments of a call say; a text: why they are not such. */
export function completionOf(argumentsJson: string): Completion | string {
  const parsed = parseJson(argumentsJson);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    return 'The arguments are no JSON object.';
  const {
    result,
    status: said,
    confidence,
    requiresFollowup,
    metadata,
  } = parsed as { readonly [key: string]: unknown };
  if (typeof result !== 'string' || result.trim() === '')
    return 'result is missing: a text that says what came of the task.';
  const status = completionStatuses.find((one) => one === said);
  if (status === undefined) return `status is one of ${completionStatuses.join(', ')}.`;
  if (confidence !== undefined && (typeof confidence !== 'number' || confidence < 0 || confidence > 1))
    return 'confidence is a number from 0 to 1.';
  if (requiresFollowup !== undefined && typeof requiresFollowup !== 'boolean')
    return 'requiresFollowup is true or false.';
  if (metadata !== undefined && (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)))
    return 'metadata is a JSON object.';
  return {
    result,
    status,
    ...(confidence === undefined ? {} : { confidence }),
    requiresFollowup: requiresFollowup === true,
    ...(metadata === undefined ? {} : { metadataJson: JSON.stringify(metadata) }),
  };
}

const wireStatus = {
  SUCCESS: facts.CompletionStatus.SUCCESS,
  PARTIAL: facts.CompletionStatus.PARTIAL,
  FAILED: facts.CompletionStatus.FAILED,
} as const;

/** A completion from its wire form, beside its result; undefined if it says nothing. */
export function completionFromWire(completion: facts.Completion | undefined): Omit<Completion, 'result'> | undefined {
  if (completion === undefined || completion.status === facts.CompletionStatus.UNSPECIFIED) return undefined;
  const { confidence, requiresFollowup, metadataJson } = completion;
  return {
    status: completionStatuses.find((one) => wireStatus[one] === completion.status) ?? 'FAILED',
    ...(confidence === undefined ? {} : { confidence }),
    requiresFollowup,
    ...(metadataJson === '' ? {} : { metadataJson }),
  };
}

/** The wire form of a completion, beside its result. */
export function completionToWire({
  status,
  confidence,
  requiresFollowup,
  metadataJson = '',
}: Omit<Completion, 'result'>) {
  return {
    status: wireStatus[status],
    ...(confidence === undefined ? {} : { confidence }),
    requiresFollowup,
    metadataJson,
  };
}
