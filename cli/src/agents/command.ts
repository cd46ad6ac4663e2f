import { checkAgents } from './check.ts';
import { listAgents } from './list.ts';
import { showAgent } from './show.ts';

type Flags = { readonly folder: string | undefined; readonly json: boolean };

/** `stopgo agents`. Gives whether what it was asked about is sound. @throws Error in one line if it cannot do what it was asked. */
export function agentsCommand(
  action: string,
  args: readonly string[],
  { folder, json }: Flags,
  host: NodeJS.Process,
  print: (line: string) => void,
): boolean {
  const [first, ...more] = args;
  switch (action) {
    case 'check':
      if (first === undefined) throw new Error('stopgo agents check takes PATH...: files, or folders of them');
      return checkAgents(args, { root: folder, json }, print);
    case 'list':
      if (more.length > 0 || (first !== undefined && folder !== undefined))
        throw new Error('stopgo agents list takes one FOLDER');
      listAgents(first ?? folder ?? '.', json, print, (line) => void host.stderr.write(`stopgo: ${line}\n`));
      return true;
    case 'show':
      if (first === undefined || more.length > 0) throw new Error('stopgo agents show takes one NAME');
      showAgent(first, folder ?? '.', json, print);
      return true;
    default:
      throw new Error('stopgo agents takes check, list or show');
  }
}
