import { facts } from '@stopgo/proto';

/** Who decided, and what that name is worth. */
export type DecidedBy = {
  readonly name: string;
  /** The name is what the caller says of themselves (`X-Approver`, `by`, a message's metadata): nobody has checked it. */
  readonly claimed: boolean;
};

/** Why an approval has expired, in the words that every surface shows: it names no instance of the platform. */
export const nobodyDecided = 'nobody decided in time';

/** The name that is recorded for somebody who gave none. */
const nobody = 'anonymous';

/**
 * Who decided on an approval; undefined if no person did. A name that came with a request is a claim (decision 0042), unless who
 * decided was signed in.
 */
export function decidedByOf(approval: {
  readonly decision: facts.Decision;
  readonly decidedBy: string;
  /** Empty for a decision that came with no request. */
  readonly decidedSurface: string;
  readonly byPolicy: boolean;
  readonly decidedSignedIn: boolean;
}): DecidedBy | undefined {
  const { decidedBy: name, decidedSurface: surface, byPolicy, decidedSignedIn } = approval;
  if (name === '' || byPolicy || approval.decision === facts.Decision.EXPIRED) return undefined;
  return { name, claimed: surface !== '' && name !== nobody && !decidedSignedIn };
}

/** The same in words: `alice (claimed)`. */
export function decidedByText({ name, claimed }: DecidedBy): string {
  return claimed ? `${name} (claimed)` : name;
}
