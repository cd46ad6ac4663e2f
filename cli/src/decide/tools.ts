import { oneLine, shownName } from '../shown.ts';
import { listIn, sendDecided } from './answered.ts';
import type { Confirm } from './confirm.ts';
import { askGateway } from './gateway.ts';

/** Digits of a pin that a list shows. */
const shownDigits = 12;

type HeldTool = {
  readonly server: string;
  readonly name: string;
  readonly state: 'new' | 'changed';
  readonly pin: string;
  readonly destructiveHint: boolean;
  readonly changes: readonly { readonly path: string; readonly before?: string; readonly after?: string }[];
};

/** What `stopgo tools` is told. */
export type ToolsArguments = {
  /** Empty: list. */
  readonly action: string;
  readonly server: string | undefined;
  readonly tool: string | undefined;
  readonly by: string | undefined;
  /** The definition that is meant, or how its pin begins. */
  readonly pin: string | undefined;
  /** Asks for a yes; undefined where nobody can answer. */
  readonly confirm?: Confirm | undefined;
};

/** `stopgo tools`: lists what is held, shows what is new in it, and accepts it as it is shown: with its pin, or a yes on the terminal. */
export async function toolsCommand(url: string, given: ToolsArguments, print: (line: string) => void): Promise<void> {
  const { action, server, tool, by, pin, confirm } = given;
  if (!['', 'diff', 'accept'].includes(action)) throw new Error(`"tools" takes diff or accept, not "${action}"`);
  if (action === 'accept' && server === undefined) throw new Error('name the server whose tools are to be accepted');
  if (action !== 'accept' && (by !== undefined || pin !== undefined))
    throw new Error('--by and --pin go with "tools accept"');
  if (pin !== undefined && !/^[0-9a-f]{12,64}$/.test(pin))
    throw new Error('--pin takes the pin that `stopgo tools` shows: 12 digits of it or more');
  const all = listIn<HeldTool>(url, await askGateway(url, '/tools/held'), 'tools');
  const held = all.filter((one) => (server ?? one.server) === one.server && (tool ?? one.name) === one.name);
  if (held.length === 0) {
    const of = server === undefined ? '' : ` of "${server}"`;
    const said = oneLine(tool === undefined ? `no tool${of} is held` : `"${tool}"${of} is not held`);
    if (action === 'accept') throw new Error(`${said}, so that nothing was accepted; see \`stopgo tools\``);
    return print(said);
  }
  for (const one of held) printTool(one, action !== '', print);
  if (action !== 'accept')
    return print(`${held.length} held; accept them with \`stopgo tools accept SERVER TOOL --pin PIN\``);
  const other = held.find((one) => !one.pin.startsWith(pin ?? ''));
  if (other !== undefined)
    throw new Error(oneLine(`${shownName(other.name)} has the pin ${other.pin} now; nothing was accepted`));
  if (pin === undefined) {
    if (confirm === undefined)
      throw new Error(
        'nothing was accepted: name the TOOL and the pin that was shown (--pin), or accept on a terminal',
      );
    if (!(await confirm(`Accept ${held.length === 1 ? 'it' : `all ${held.length}`} as shown?`)))
      throw new Error('nothing was accepted');
  }
  const tools = held.map(({ server: of, name, pin: exact }) => ({ server: of, name, pin: exact }));
  await sendDecided(url, '/tools/accept', { tools, ...(by === undefined ? {} : { by }) }, 'acceptance');
  print(`${tools.length} accepted`);
}

function printTool(tool: HeldTool, withChanges: boolean, print: (line: string) => void): void {
  const { server, name, state, pin, destructiveHint, changes } = tool;
  const gated = destructiveHint ? '; its calls wait for an approval' : '';
  print(oneLine(`${shownName(name)} of ${shownName(server)}: ${state}, pin ${pin.slice(0, shownDigits)}${gated}`));
  if (!withChanges) return;
  for (const { path, before, after } of changes) {
    if (before !== undefined) print(oneLine(`    - ${path}: ${before}`));
    if (after !== undefined) print(oneLine(`    + ${path}: ${after}`));
  }
}
