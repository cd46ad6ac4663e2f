import type { SoundView } from '../render/sound-view.ts';
import type { RouteDependencies } from '../routes/route.ts';
import type { A2ACall } from './call.ts';

// A word that was sent for an earlier question of a run must not answer this one: so one without a name counts only for what was
// asked first.

/** True if nothing was asked in this run before the approval. */
export async function isFirstApproval(
  deps: RouteDependencies,
  call: A2ACall,
  { head }: SoundView,
  approvalId: string,
): Promise<boolean> {
  return head.run !== undefined && (await firstApproval(deps, call, head.id, head.run.id)) === approvalId;
}

/** True if nothing was asked in this run before the question of a tool server that waits first. */
export async function isFirstInput(deps: RouteDependencies, call: A2ACall, { head }: SoundView): Promise<boolean> {
  const [input] = head.pendingInputs;
  return input?.first === true && (await firstApproval(deps, call, head.id, head.run?.id ?? '')) === undefined;
}

async function firstApproval(
  { clients }: RouteDependencies,
  { frame }: A2ACall,
  conversationId: string,
  askedInRun: string,
): Promise<string | undefined> {
  const asked = { conversationId, askedInRun, limit: 1 };
  const { approvals } = await clients.store.listApprovals(asked, { context: frame.context });
  return approvals[0]?.id;
}
