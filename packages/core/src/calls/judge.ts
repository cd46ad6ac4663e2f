import { facts } from '@stopgo/proto';
import type { OfferedTool } from '../agent/definition.ts';
import { isRepeatable, policyVerdict } from '../agent/policy.ts';
import { namesOnRecord } from '../events/target.ts';
import { argumentsBytesMax, callsPerRunMax, delegatedBytesMax } from '../text/bounds.ts';
import { byteLength } from '../text/cut.ts';
import { callDigest } from '../text/digest.ts';
import { canonicalArguments } from '../text/exact-json.ts';
import { kindOf } from './kinds.ts';
import type { CallSite } from './offers.ts';

/** A call as a model asked for it. */
export type RequestedCall = {
  readonly providerCallId: string;
  readonly name: string;
  /** As the model wrote them, or what was made of them before: it is put in canonical form here. */
  readonly argumentsJson: string;
  /** Why the call must not be made, in words for the model; absent if nothing has been found. */
  readonly refusal?: string;
};

/** What policy makes of a call: what is recorded of it, but for its id. */
export type JudgedCall = {
  readonly providerCallId: string;
  readonly tool: string;
  readonly server: string;
  /** Name of the agent that it delegates to; empty for a tool. */
  readonly agent: string;
  readonly argumentsJson: string;
  readonly disposition: facts.Disposition;
  readonly repeatable: boolean;
  readonly pin: string;
  readonly digest: string;
  readonly error: string;
  readonly reason: string;
};

/**
 * The verdict on a call that a model or a node asks for, from where in the tree that is; `callsBefore`: how many calls the run has
 * already, in all branches.
 */
export function judgeCall(call: RequestedCall, site: CallSite, callsBefore = 0): JudgedCall {
  const read = canonicalArguments(call.argumentsJson);
  // What has no canonical form is not repeated: two readers could take it for different arguments.
  const argumentsJson = 'json' in read ? read.json : '{}';
  const common = { providerCallId: call.providerCallId, tool: call.name, argumentsJson };
  const refused = (error: string): JudgedCall => ({
    ...common,
    server: '',
    agent: '',
    disposition: facts.Disposition.REFUSED,
    repeatable: true,
    pin: '',
    digest: '',
    error,
    reason: '',
  });
  const problem = 'problem' in read ? read.problem : call.refusal;
  const tool = site.offered.get(call.name);
  if (tool?.target.kind === 'control')
    return problem === undefined ? { ...refused(''), disposition: facts.Disposition.CONTROL } : refused(problem);
  if (callsBefore >= callsPerRunMax)
    return refused(`The run has ${callsPerRunMax} calls under way, which is the most; ask again when some are done.`);
  // What is known of a tool that was not offered is why it was not.
  if (tool === undefined)
    return refused('json' in read && call.refusal !== undefined ? call.refusal : `Tool not found: ${call.name}`);
  const bytesMax = site.node.type === 'a2a' ? delegatedBytesMax : argumentsBytesMax;
  if (Math.max(byteLength(call.argumentsJson), byteLength(argumentsJson)) > bytesMax)
    return refused(`The arguments are longer than ${bytesMax} bytes; the call was not run.`);
  if (problem !== undefined) return refused(problem);
  const { pin, target } = tool;
  const { noun, problemOf } = kindOf(target);
  const unsendable = problemOf(argumentsJson);
  if (unsendable !== undefined) return refused(unsendable);
  const verdict = policyVerdict(tool, noun);
  const names = namesOnRecord(target);
  const judged = {
    ...common,
    ...names,
    pin,
    digest: callDigest({ server: names.server, tool: tool.name, pin, argumentsJson }),
    repeatable: isRepeatable(tool.hints),
    error: '',
    reason: verdict.reason,
  };
  switch (verdict.kind) {
    case 'allow':
      return { ...judged, disposition: facts.Disposition.ALLOWED };
    case 'deny':
      return { ...refused(`The call is not allowed: ${verdict.reason}.`), reason: verdict.reason };
    case 'ask':
      return runsAtOnce(tool, site)
        ? {
            ...judged,
            disposition: facts.Disposition.AUTO_APPROVED,
            reason: `${verdict.reason}; inside parallel and loop it runs at once unless approval: require is set`,
          }
        : { ...judged, disposition: facts.Disposition.GATED };
  }
}

/** Inside `parallel` and `loop` a destructive call runs at once, unless its node or its tool wants an approval. */
function runsAtOnce(tool: OfferedTool, site: CallSite): boolean {
  return site.insideParallelOrLoop && site.node.approval !== 'require' && !tool.approvalRequired;
}
