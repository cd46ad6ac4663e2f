import type { ControlTool } from './control-tool.ts';

/** Name of the tool that ends the enclosing loop. */
export const exitLoopTool = 'exit_loop';

export const exitLoop: ControlTool = {
  name: exitLoopTool,
  purpose: 'ends a loop',
  description: 'Exit the current loop. Call this only when instructed to do so.',
  inputSchemaJson: '{"type":"object","properties":{}}',
  isOffered: ({ node }) => node.type === 'llm' && node.canExitLoop,
  result: () => 'ok',
  shownAs: 'exit_loop called',
  leavesLoop: true,
};
