/** What becomes of a call that can be made: what the rules of the run's policy say of it, people before it, and else the defaults. */
import { facts } from '@stopgo/proto';
import type { OfferedTool } from '../agent/definition.ts';
import { namesOnRecord } from '../events/target.ts';
import { policyVerdict } from '../policy/hints.ts';
import { judgeByPolicy, nobody, nothingYet, type PolicyContext, type Ruling } from '../policy/judge-policy.ts';
import type { DemandSpec } from '../policy/policy.ts';
import { type StandingApproval, standingFor } from '../state/standing-approval.ts';
import type { CallSite } from './call-site.ts';

/** What calls are judged by beside themselves and their place in the tree. */
export type JudgedIn = {
  /** Absent: nobody in particular asks, and the run has done nothing yet. */
  readonly context?: PolicyContext;
  /** What people let run for the rest of the conversation. */
  readonly standing?: readonly StandingApproval[];
  /** Calls of agents of this platform that were asked for before, in the whole run; absent: none. */
  readonly agentCallsBefore?: number;
  /** Those of them that are not done; absent: none. */
  readonly agentsUnderWay?: number;
};

/** The verdict on a call, and what said so. */
export type CallVerdict = {
  readonly disposition: facts.Disposition;
  readonly reason: string;
  /** Name of the rule that decided; absent: the defaults did, or a standing approval. */
  readonly rule?: string;
  /** What the approval takes that is asked for; absent: any yes. */
  readonly demand?: DemandSpec;
  /** Names of all rules that ask for it; absent: the defaults do, or nothing is asked. */
  readonly asking?: readonly string[];
  /** The standing approval that lets it run. */
  readonly standingId?: string;
};

const { ALLOWED, GATED, AUTO_APPROVED, REFUSED } = facts.Disposition;

/** The verdict on a call of a tool, in canonical form. `noun`: what it is in reasons. */
export function verdictOn(
  tool: OfferedTool,
  site: CallSite,
  noun: string,
  call: { readonly argumentsJson: string; readonly digest: string },
  { context = { caller: nobody, run: nothingYet }, standing = [] }: JudgedIn,
): CallVerdict {
  const byDefault = policyVerdict(tool, noun);
  const { server } = namesOnRecord(tool.target);
  const ruling = rulingOn(tool, site, call.argumentsJson, context);
  // What a person is to decide, whatever a rule says.
  const isRequired = tool.approvalRequired || (byDefault.kind === 'ask' && site.node.approval === 'require');
  const asked = (reason: string, ruled?: Ruling): CallVerdict => {
    const demand = ruled?.demand;
    const ofRule = ruled === undefined ? {} : { rule: ruled.rule, asking: ruled.asking, ...(demand && { demand }) };
    const stands =
      isRequired || demand !== undefined || ruled?.isUnknown
        ? undefined
        : standingFor(standing, { server, tool: tool.name, pin: tool.pin, digest: call.digest });
    if (stands === undefined) return { disposition: GATED, reason, ...ofRule };
    const said = `${reason}; ${stands.by === '' ? 'somebody' : stands.by} approved the like of it for the rest of the conversation`;
    return { disposition: AUTO_APPROVED, reason: said, ...ofRule, standingId: stands.id };
  };
  switch (ruling?.verdict) {
    case 'deny':
      return { disposition: REFUSED, reason: ruling.reason, rule: ruling.rule };
    case 'ask':
      return asked(ruling.reason, ruling);
    case 'allow': {
      const { reason, rule } = ruling;
      if (byDefault.kind === 'allow') return { disposition: ALLOWED, reason, rule };
      if (!isRequired) return { disposition: AUTO_APPROVED, reason, rule };
      return {
        disposition: GATED,
        reason: `${byDefault.reason}; approval: require holds whatever rule "${rule}" allows`,
        ...{ rule, asking: [rule] },
      };
    }
    default:
      if (byDefault.kind === 'allow') return { disposition: ALLOWED, reason: byDefault.reason };
      // Inside `parallel` and `loop` a destructive call runs at once, unless its node or its tool wants an approval.
      if (!site.insideParallelOrLoop || isRequired) return asked(byDefault.reason);
      return {
        disposition: AUTO_APPROVED,
        reason: `${byDefault.reason}; inside parallel and loop it runs at once unless approval: require is set`,
      };
  }
}

/** What the policy of a run says of a call; undefined if there is none, or none of its rules matches. */
export function rulingOn(
  tool: Pick<OfferedTool, 'target' | 'name' | 'hints'>,
  {
    policy,
    agentName: agent,
    agents,
    commit,
    node,
  }: Pick<CallSite, 'policy' | 'agentName' | 'agents' | 'commit' | 'node'>,
  argumentsJson: string,
  context: PolicyContext,
): Ruling | undefined {
  if (policy === undefined) return undefined;
  const { name, target, hints } = tool;
  const { server } = namesOnRecord(target);
  return judgeByPolicy(
    policy,
    { server, tool: name, agent, agents, commit, node: node.name, hints, argumentsJson },
    context,
  );
}
