import { checkAgents } from './check.ts';
import { listAgents } from './list.ts';
import { listAgentsOf, printDiffOf, printHistoryOf, showAgentOf } from './platform.ts';
import { showAgent } from './show.ts';
import { watchAgents } from './watch.ts';

type Flags = {
  readonly folder: string | undefined;
  /** The platform to ask; absent: files of a folder are read, unless only a platform knows. */
  readonly url: string | undefined;
  readonly defaultUrl: string;
  readonly limit: string | undefined;
  readonly json: boolean;
};

/** `stopgo agents`. Gives whether what it was asked about is sound. @throws Error in one line if it cannot do what it was asked. */
export async function agentsCommand(
  action: string,
  args: readonly string[],
  { folder, url, defaultUrl, limit, json }: Flags,
  host: NodeJS.Process,
  print: (line: string) => void,
): Promise<boolean> {
  const [first, second, third, ...more] = args;
  const isOfPlatform = url !== undefined || action === 'history' || action === 'diff';
  if (isOfPlatform && folder !== undefined) throw new Error('--in is for files in a folder; leave it out');
  if (limit !== undefined && action !== 'history') throw new Error('--limit goes with stopgo agents history');
  switch (action) {
    case 'check':
      if (url !== undefined) throw new Error('stopgo agents check reads files; leave --url and --port out');
      if (first === undefined) throw new Error('stopgo agents check takes PATH...: files, or folders of them');
      return checkAgents(args, { root: folder, json }, print);
    case 'list':
      if (url !== undefined) {
        if (first !== undefined) throw new Error('stopgo agents list takes a FOLDER or a platform, not both');
        await listAgentsOf(url, json, print);
        return true;
      }
      if (second !== undefined || (first !== undefined && folder !== undefined))
        throw new Error('stopgo agents list takes one FOLDER');
      listAgents(first ?? folder ?? '.', json, print, (line) => void host.stderr.write(`stopgo: ${line}\n`));
      return true;
    case 'show':
      if (first === undefined || third !== undefined) throw new Error('stopgo agents show takes one NAME');
      if (url !== undefined) await showAgentOf(url, first, second, json, print);
      else if (second === undefined) showAgent(first, folder ?? '.', json, print);
      else throw new Error('a COMMIT goes with --url: files of a folder are shown as they are');
      return true;
    case 'history':
      if (first === undefined || third !== undefined) throw new Error('stopgo agents history takes NAME [COMMIT]');
      await printHistoryOf(url ?? defaultUrl, first, { commit: second, limit }, json, print);
      return true;
    case 'diff':
      if (first === undefined || more.length > 0) throw new Error('stopgo agents diff takes NAME [COMMIT [COMMIT]]');
      await printDiffOf(url ?? defaultUrl, first, { from: second, to: third }, json, print);
      return true;
    case 'watch': {
      if (second !== undefined || (first !== undefined && folder !== undefined))
        throw new Error('stopgo agents watch takes one FOLDER');
      await watchAgents(url ?? defaultUrl, first ?? folder ?? '.', print, endOf(host));
      return true;
    }
    default:
      throw new Error('stopgo agents takes check, list, show, history, diff or watch');
  }
}

/** Aborts when somebody ends the command. */
function endOf(host: NodeJS.Process): AbortSignal {
  const end = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) host.once(name, () => end.abort());
  return end.signal;
}
