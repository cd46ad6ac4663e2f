import type { HumanDecision, InputAction } from '@stopgo/core';
import { facts } from '@stopgo/proto';

/** What the decisions of people are on the wire. */
export const decisions: Readonly<Record<HumanDecision['kind'], facts.Decision>> = {
  approve: facts.Decision.APPROVED,
  reject: facts.Decision.REJECTED,
  run_again: facts.Decision.RUN_AGAIN,
  happened: facts.Decision.HAPPENED,
  give_up: facts.Decision.GIVE_UP,
};

/** What their answers to questions of tool servers are. */
export const actions: Readonly<Record<InputAction, facts.InputAction>> = {
  accept: facts.InputAction.ACCEPT,
  decline: facts.InputAction.DECLINE,
  cancel: facts.InputAction.CANCEL,
};
