import type { CallPlace, CallWay } from '../handle/call-way.ts';
import { answerDelegation } from './answer-delegation.ts';
import { delegationCommand } from './delegation-outcome.ts';
import { lookUpDelegation, sendDelegation } from './send-delegation.ts';

/** No bridge makes it, and nobody waits for its place. */
const nowhere: CallPlace = { bridge: '', answered: () => undefined };

/** Delegations go from this process to the agent itself: no bridge has a part in them. */
export const delegationWay: CallWay = {
  whenItMay: (_driver, call, _effect, _signal, begin) => begin(call, nowhere),

  async send(driver, { id }, _effect, _place, argumentsJson, signal) {
    // The call as its fence left it: with the ids that it is sent under.
    const call = driver.state.run?.calls[id];
    if (call?.sent === undefined) return undefined;
    return delegationCommand(call, await sendDelegation(driver, call, argumentsJson, signal), argumentsJson);
  },

  async recover(driver, call, _effect, argumentsJson, signal) {
    // Once its agent has asked something here, it may have to be answered.
    const isAsked = (call.sent?.questions ?? []).length > 0;
    const goOn = isAsked ? answerDelegation : lookUpDelegation;
    return delegationCommand(call, await goOn(driver, call, argumentsJson, signal), argumentsJson);
  },
};
