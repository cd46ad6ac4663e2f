import { invalidArgument, principalKey, visibleText } from '@stopgo/core';
import { envelope } from '@stopgo/proto';
import type { Request } from 'express';
import { approverCharactersMax } from './bounds.ts';
import type { Frame } from './frame.ts';

/** Who did something over REST, as it is recorded. */
export type RestActor = {
  readonly kind: envelope.ActorKind;
  readonly id: string;
  /** True if the id is what the caller says of themselves. */
  readonly claimed: boolean;
  readonly surface: 'rest';
  readonly address: string;
  /** Key of the principal; empty where nobody signs in. */
  readonly principal: string;
};

const nobody = 'anonymous';

/**
 * Under which name somebody acts, as it is recorded. `claimed`: it is what the caller says. Who is signed in acts under their own
 * e-mail address; a name that they give besides is their claim, for whom they act.
 */
export function namedAs(
  { principal }: Pick<Frame, 'principal'>,
  name: string | undefined,
): Pick<RestActor, 'id' | 'claimed' | 'principal'> {
  if (principal.kind !== 'user') return { id: name ?? nobody, claimed: name !== undefined, principal: '' };
  const { email } = principal;
  const isOther = name !== undefined && name !== email;
  return { id: isOther ? `${name} via ${email}` : email, claimed: isOther, principal: principalKey(principal) };
}

/** Somebody who talks to the agent. */
export const userActor = (frame: Frame, name?: string): RestActor => ({
  kind: envelope.ActorKind.USER,
  ...namedAs(frame, name),
  surface: 'rest',
  address: frame.address,
});

/**
 * Somebody who decides: under the name in `X-Approver` or in the body, else as nobody in particular.
 *
 * @throws DomainError `invalid_argument` for a name that is empty, too long or not printable, and for two names.
 */
export function approverActor(req: Request, frame: Frame, by: string | undefined): RestActor {
  return {
    kind: envelope.ActorKind.APPROVER,
    ...namedAs(frame, oneName(approverNamed(req.get('x-approver')), by)),
    surface: 'rest',
    address: frame.address,
  };
}

/** The name in `X-Approver`, if there is one. @throws DomainError `invalid_argument` for what is no name. */
export const approverNamed = (header: string | undefined): string | undefined =>
  header === undefined ? undefined : checkedName('X-Approver', headerText(header));

/**
 * The name that `X-Approver` and a body give.
 *
 * @throws DomainError `invalid_argument` for a name in the body that is none, and for two names.
 */
export function oneName(fromHeader: string | undefined, by: string | undefined): string | undefined {
  const fromBody = by === undefined ? undefined : checkedName('"by"', by);
  if (fromHeader !== undefined && fromBody !== undefined && fromHeader !== fromBody) {
    throw invalidArgument('X-Approver and "by" name different people; send one of them');
  }
  return fromHeader ?? fromBody;
}

function checkedName(where: string, name: string): string {
  const trimmed = name.trim();
  const printable = visibleText(trimmed) === trimmed && !/[\n\t]/.test(trimmed);
  if (trimmed === '' || !printable || [...trimmed].length > approverCharactersMax) {
    throw invalidArgument(`${where} must be 1 to ${approverCharactersMax} printable characters`);
  }
  return trimmed;
}

/** Node reads header bytes as Latin-1; clients mean UTF-8. What is not UTF-8 stays Latin-1. */
function headerText(value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}
