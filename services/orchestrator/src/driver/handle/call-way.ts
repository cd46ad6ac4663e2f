import type { CallOutcomeCommand, CallState, DelegationAskedCommand, Effect } from '@stopgo/core';
import type { RunHandle } from './run-handle.ts';

type CallEffect = Extract<Effect, { kind: 'call' }>;

/** Where a call is made. */
export type CallPlace = {
  /** The instance of the bridge that is to make it, empty where none is. */
  readonly bridge: string;
  /** Is told once it is known what became of it, before that is on the record; `isMade`: whether it got to where it was sent. */
  readonly answered: (isMade: boolean) => void;
};

/** How calls of one kind are made, and found out. */
export type CallWay = {
  /**
   * Begins a call once it may be made: `begin` is given the call as it is then, and where it is to be made. `again` looks at all of it
   * anew, because what it was to be made by has died.
   */
  readonly whenItMay: (
    driver: RunHandle,
    call: CallState,
    effect: CallEffect,
    signal: AbortSignal,
    begin: (call: CallState, place: CallPlace) => Promise<void>,
    again: () => Promise<void>,
  ) => Promise<void>;
  /** Makes an attempt that is on the record if it has to be; what goes on the record of it, undefined if this process ends first. */
  readonly send: (
    driver: RunHandle,
    call: CallState,
    effect: CallEffect,
    place: CallPlace,
    argumentsJson: string,
    signal: AbortSignal,
  ) => Promise<CallOutcomeCommand | DelegationAskedCommand | undefined>;
  /** Finds out what became of an attempt that is on the record and not under way here; gives as `send`. */
  readonly recover: (
    driver: RunHandle,
    call: CallState,
    effect: Extract<Effect, { kind: 'recover' }>,
    argumentsJson: string,
    signal: AbortSignal,
  ) => Promise<CallOutcomeCommand | DelegationAskedCommand | undefined>;
};
