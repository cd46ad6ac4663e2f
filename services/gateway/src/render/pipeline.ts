import type { views } from '@stopgo/proto';
import type { Answer } from '../json-text.ts';

/**
 * Where a tree of nodes waits for approvals: the node that waits longest, and all of them. Absent while nothing waits, and
 * always for an agent that is one llm node.
 */
export function renderPipeline({ pipeline }: views.ConversationHead): {
  readonly pipeline_state?: Answer;
  readonly pipeline_states?: readonly Answer[];
} {
  if (pipeline === undefined) return {};
  const sessionState = Object.fromEntries(pipeline.sessionState.map(({ key, text }) => [key, text]));
  const states = pipeline.paused.map((paused): Answer => {
    return {
      paused_node_path: paused.path,
      paused_node_output_key: paused.outputKey,
      session_state: sessionState,
      user_message: pipeline.userMessage,
      node: paused.node,
      step_id: paused.stepId,
      approvals: paused.approvalIds,
    };
  });
  return states[0] === undefined ? {} : { pipeline_state: states[0], pipeline_states: states };
}
