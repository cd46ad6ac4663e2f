import { facts } from '@stopgo/proto';
import { namesOnRecord } from '../events/target.ts';
import { isRepeatable } from '../policy/hints.ts';
import type { DemandSpec } from '../policy/policy.ts';
import { argumentsBytesMax, callsPerRunMax, delegatedBytesMax } from '../text/bounds.ts';
import { byteLength } from '../text/cut.ts';
import { callDigest } from '../text/digest.ts';
import { canonicalArguments } from '../text/exact-json.ts';
import type { CallSite } from './call-site.ts';
import { controlTools } from './control/tools.ts';
import { kindOf } from './kinds.ts';
import { type JudgedIn, verdictOn } from './verdict.ts';

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
  /** Name of the agent of this platform that it calls; empty: none. */
  readonly platformAgent: string;
  /** Name of the agent whose memory it is about; empty: none's. */
  readonly memoryOf: string;
  /** Name of the agent that asks people for something with it; empty: none. */
  readonly askedBy: string;
  /** Name of the agent that uses with it what the agents of the run share; empty: none. */
  readonly sharedBy: string;
  readonly argumentsJson: string;
  readonly disposition: facts.Disposition;
  readonly repeatable: boolean;
  readonly pin: string;
  readonly digest: string;
  readonly error: string;
  /** Of a refused call of an agent of this platform: which limit it met; absent: none. */
  readonly agentRefusal?: facts.AgentRefusal;
  readonly reason: string;
  /** Name of the rule that decided; empty: none did. */
  readonly rule: string;
  /** Digest of the policy that it was judged by; empty: there is none. */
  readonly policyDigest: string;
};

/** A call, and what its approval takes: that is recorded with the approval. */
export type Judgement = {
  readonly call: JudgedCall;
  readonly demand?: DemandSpec;
  /** Names of all rules that ask for it, each with its webhooks; absent: none does. */
  readonly asking?: readonly string[];
  readonly standingId?: string;
};

/**
 * The verdict on a call that a model or a node asks for, from where in the tree that is; `callsBefore`: how many calls the run has
 * already, in all branches.
 */
export function judgeCall(call: RequestedCall, site: CallSite, callsBefore = 0, given: JudgedIn = {}): Judgement {
  const read = canonicalArguments(call.argumentsJson);
  // What has no canonical form is not repeated: two readers could take it for different arguments.
  const argumentsJson = 'json' in read ? read.json : '{}';
  const common = { providerCallId: call.providerCallId, tool: call.name, argumentsJson };
  const unruled = { rule: '', policyDigest: '' };
  const refused = (error: string): JudgedCall => ({
    ...common,
    ...unruled,
    server: '',
    agent: '',
    platformAgent: '',
    memoryOf: '',
    askedBy: '',
    sharedBy: '',
    disposition: facts.Disposition.REFUSED,
    repeatable: true,
    pin: '',
    digest: '',
    error,
    reason: '',
  });
  const problem = 'problem' in read ? read.problem : call.refusal;
  const tool = site.offered.get(call.name);
  if (tool?.target.kind === 'control') {
    const control = { ...refused(''), disposition: facts.Disposition.CONTROL };
    const own = problem ?? controlTools.get(call.name)?.problemOf?.(argumentsJson);
    return { call: own === undefined ? control : refused(own) };
  }
  if (callsBefore >= callsPerRunMax) {
    const most = `The run has ${callsPerRunMax} calls under way, which is the most; ask again when some are done.`;
    return { call: refused(most) };
  }
  // What is known of a tool that was not offered is why it was not.
  if (tool === undefined) {
    const why = 'json' in read && call.refusal !== undefined ? call.refusal : `Tool not found: ${call.name}`;
    return { call: refused(why) };
  }
  const bytesMax = site.node.type === 'a2a' ? delegatedBytesMax : argumentsBytesMax;
  if (Math.max(byteLength(call.argumentsJson), byteLength(argumentsJson)) > bytesMax)
    return { call: refused(`The arguments are longer than ${bytesMax} bytes; the call was not run.`) };
  if (problem !== undefined) return { call: refused(problem) };
  const { pin } = tool;
  const { noun, problemOf, addressed, asked: mayBeAsked } = kindOf(tool.target);
  const { agentCallsBefore = 0, agentsUnderWay = 0 } = given;
  const unsendable = problemOf(argumentsJson, site, { agentCallsBefore, agentsUnderWay }, tool.name);
  if (unsendable !== undefined) {
    const { text, agentRefusal } = unsendable;
    return { call: { ...refused(text), ...(agentRefusal === undefined ? {} : { agentRefusal }) } };
  }
  const names = namesOnRecord(addressed?.(argumentsJson, site) ?? tool.target);
  // Whose memory it is stands in no argument: what lets one agent save lets no other. So it is with what they share.
  const asker = names.memoryOf || names.sharedBy;
  const digest = callDigest({ server: asker || names.server, tool: tool.name, pin, argumentsJson });
  const verdict = verdictOn(tool, site, noun, { argumentsJson, digest }, given);
  const { disposition, reason, rule = '', demand, asking, standingId } = verdict;
  const ruled = { rule, policyDigest: site.policyDigest ?? '' };
  if (disposition === facts.Disposition.REFUSED) return { call: { ...refused(notAllowed(reason)), reason, ...ruled } };
  // Nobody is asked whether people may be asked.
  const isAllowed = mayBeAsked === undefined;
  return {
    call: {
      ...common,
      ...names,
      pin,
      digest,
      repeatable: isRepeatable(tool.hints),
      error: '',
      disposition: isAllowed ? facts.Disposition.ALLOWED : disposition,
      reason,
      ...ruled,
    },
    ...(isAllowed || demand === undefined ? {} : { demand }),
    ...(isAllowed || asking === undefined ? {} : { asking }),
    ...(isAllowed || standingId === undefined ? {} : { standingId }),
  };
}

/** What a model is told of a call that a rule does not allow, for a reason that people gave. */
export function notAllowed(reason: string): string {
  return `The call is not allowed: ${/[.!?]$/.test(reason) ? reason : `${reason}.`}`;
}
