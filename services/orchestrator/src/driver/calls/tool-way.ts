import { anonymousPrincipal, type CallState, type Effect, serverOf, serverQuestions } from '@stopgo/core';
import type { ExecuteRequest } from '../../tool-port.ts';
import type { CallWay } from '../handle/call-way.ts';
import type { RunHandle } from '../handle/run-handle.ts';
import { stopWithRun } from '../handle/stop-call.ts';
import { askFence } from '../questions/ask-fence.ts';
import { outcomeCommand } from './outcomes.ts';
import { sendOnce, sendRepeatable } from './send-call.ts';
import { anyBridge } from './wait-for-bridge.ts';
import { tellTurn } from './wait-for-turn.ts';

/** Calls of tools go to a bridge, in the order in which their server takes them. */
export const toolWay: CallWay = {
  async whenItMay(driver, call, effect, signal, begin, again) {
    const { tools, liveness } = driver.ports;
    // Nothing is put on the record before there is a bridge to make the call. If one is there, the fence is submitted before
    // anything is awaited, so that it shares the append of a claim.
    const bridge = askingBridge(driver, effect) ?? tools.choose() ?? (await anyBridge(driver, signal));
    const server = serverOf(call.target);
    const turn = tools.turn(bridge, server, signal);
    if (turn.alone !== undefined) void tellTurn(driver, server, turn.alone, signal);
    try {
      // What waits here is not on the record: if this process or the bridge dies now, it has certainly not run.
      if (turn.come !== undefined) {
        await turn.come;
        // Much may have happened since: all is looked at again, by a bridge that is there.
        if (liveness.isDead(bridge)) {
          // It may be this one again, once it is alive: this place must not be before the one that is taken then.
          turn.leave(false);
          return await again();
        }
      }
      // The next call waits for this one's answer, and not until that is on the record.
      await begin(driver.state.run?.calls[effect.id] ?? call, { bridge, answered: turn.leave });
    } finally {
      // Unless it has been told what became of it.
      turn.leave(false);
    }
  },

  async send(driver, call, { attempt, fenced }, { bridge, answered }, argumentsJson, signal) {
    const request = requestOf(driver, call, attempt, bridge, argumentsJson);
    const outcome = await (fenced ? sendOnce : sendRepeatable)(driver, request, signal);
    if (outcome === undefined) return undefined;
    answered(outcome.kind === 'finished' || outcome.kind === 'unknown');
    return outcomeCommand(call, attempt, outcome, argumentsJson);
  },

  async recover(driver, call, { attempt, bridge }, argumentsJson, signal) {
    const { conversationId, runId } = driver;
    const key = { conversationId, runId, callId: call.id, attempt };
    const stopWatching = stopWithRun(driver, call.id, signal, () => driver.ports.tools.cancel(key, bridge));
    const outcome = await askFence(driver, key, bridge).finally(stopWatching);
    return outcome === undefined ? undefined : outcomeCommand(call, attempt, outcome, argumentsJson);
  },
};

/**
 * The bridge at which this attempt was when its server asked people something, if that is alive: a call that is safe to repeat
 * would begin, and ask, anew anywhere else, and what was answered would be lost.
 */
function askingBridge(
  { state: { run }, ports }: RunHandle,
  { id, attempt }: Extract<Effect, { kind: 'call' }>,
): string | undefined {
  const open = serverQuestions(run).map(({ callId, server }) => ({ ...server, callId }));
  const asked = [...Object.values(run?.settledInputs ?? {}), ...open];
  const bridge = asked.findLast((one) => one.callId === id && one.attempt === attempt)?.bridge;
  return bridge === undefined || ports.liveness.isDead(bridge) ? undefined : bridge;
}

function requestOf(
  driver: RunHandle,
  call: CallState,
  attempt: number,
  bridge: string,
  argumentsJson: string,
): ExecuteRequest {
  const { conversationId, runId, bearer } = driver;
  return {
    key: { conversationId, runId, callId: call.id, attempt },
    bridge,
    server: serverOf(call.target),
    tool: call.tool,
    argumentsJson,
    approvalId: call.approvalId ?? '',
    digest: call.digest,
    pin: call.pin,
    ...(bearer === undefined ? {} : { bearer }),
    sessionId: driver.state.sessionId,
    user: driver.state.principal ?? anonymousPrincipal,
  };
}
