import { completionOf, completionStatuses } from '../../state/completion.ts';
import type { ControlTool } from './control-tool.ts';

/** Name of the tool with which an agent says that it has done its task. */
export const completeTool = 'complete_agent_execution';

export const completeExecution: ControlTool = {
  name: completeTool,
  purpose: 'ends the work of an agent',
  description: 'Signal completion of agent task - REQUIRED to finish execution',
  inputSchemaJson: JSON.stringify({
    type: 'object',
    properties: {
      result: { type: 'string', description: 'Final result of the task' },
      status: { type: 'string', enum: completionStatuses, description: 'Completion status' },
      confidence: { type: 'number', minimum: 0, maximum: 1, description: 'Confidence in the result (0-1)' },
      requiresFollowup: {
        type: 'boolean',
        default: false,
        description: 'Whether this task needs additional work',
      },
      metadata: { type: 'object', description: 'Additional structured data about the completion' },
    },
    required: ['result', 'status'],
  }),
  isOffered: ({ node, platform, isRoot }) => node.type === 'llm' && platform !== undefined && isRoot === true,
  problemOf: (argumentsJson) => {
    const completion = completionOf(argumentsJson);
    return typeof completion === 'string' ? `${completion} Nothing was recorded; ask again.` : undefined;
  },
  result: () => 'The completion is recorded.',
  leavesLoop: false,
  completes: true,
};
