/** The tools that a root's `allowed_tools` may list; `list_roots` is always there. */
export const listedTools = [
  'list_folder',
  'read_file',
  'write_file',
  'remove_file',
  'patch_file',
  'create_folder',
  'remove_folder',
  'stat_file',
  'hash_file',
  'permissions_file',
  'copy',
  'move',
  'grep',
  'glob',
] as const;

export type ListedTool = (typeof listedTools)[number];
export type ToolName = 'list_roots' | ListedTool;

export function isListedTool(name: string): name is ListedTool {
  return listedTools.some((tool) => tool === name);
}
