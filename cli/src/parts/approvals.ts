import { randomBytes, randomUUID } from 'node:crypto';
import {
  type ApprovalsDependencies,
  approvalsService,
  type PeopleDependencies,
  peopleService,
} from '@stopgo/approvals';
import { systemClock } from '@stopgo/log';
import type { approvals, people } from '@stopgo/proto';
import type { ServiceImpl } from '@stopgo/rpc';
import type { AgentConfig } from '@stopgo/runtime';

/** The approvals service, under an id that is never used twice. It holds nothing, so there is nothing to stop. */
export function approvalsPart(
  instance: string,
  clients: Pick<ApprovalsDependencies, 'store' | 'orchestrator'>,
  { auth }: Pick<AgentConfig, 'auth'>,
): ServiceImpl<typeof approvals.ApprovalsService> {
  return approvalsService({
    ...clients,
    instance,
    clock: systemClock,
    newId: randomUUID,
    random: Math.random,
    hasSignIn: auth !== undefined,
  });
}

/** What the people service is given: by an instance that is never used twice, over a store. */
export const peopleDependencies = (instance: string, store: PeopleDependencies['store']): PeopleDependencies => ({
  instance,
  store,
  clock: systemClock,
  newId: randomUUID,
  random: Math.random,
  randomBytes,
});

/** The people service. It holds nothing either. */
export const peoplePart = (
  instance: string,
  store: PeopleDependencies['store'],
): ServiceImpl<typeof people.PeopleService> => peopleService(peopleDependencies(instance, store));
