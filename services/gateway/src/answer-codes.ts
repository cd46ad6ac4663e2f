import type { InputAction } from '@stopgo/core';
import { facts } from '@stopgo/proto';

/** What people's answers to questions of tool servers are. */
export const actions: Readonly<Record<InputAction, facts.InputAction>> = {
  accept: facts.InputAction.ACCEPT,
  decline: facts.InputAction.DECLINE,
  cancel: facts.InputAction.CANCEL,
};
