import { suggest, visibleLine } from '@stopgo/core';
import { ConfigError, messageOf } from '@stopgo/runtime';
import { agentCommands } from './commands/agent-commands.ts';
import type { Command, CommandGroup } from './commands/command.ts';
import { helpOf, overview } from './commands/help.ts';
import { logCommands } from './commands/log-commands.ts';
import { parseFor } from './commands/parse.ts';
import { peopleCommands } from './commands/people-commands.ts';
import { platformCommands } from './commands/platform-commands.ts';
import { columnsOf, Folded } from './folded.ts';
import { version } from './version.ts';

/** Every command, as the help lists them. */
export const groups: readonly CommandGroup[] = [
  { heading: 'an agent of your own', commands: agentCommands },
  { heading: 'run it', commands: platformCommands },
  {
    heading: 'talk to it, and decide (through its gateway: --url or --port, and STOPGO_API_KEY)',
    commands: peopleCommands,
  },
  { heading: 'look at the record (in --config, --data-dir or --store)', commands: logCommands },
];

const commands: ReadonlyMap<string, Command> = new Map(groups.flatMap((group) => Object.entries(group.commands)));

/** Runs the command that the arguments name. Rejects with one clear line if it cannot. */
export async function runCommand(args: readonly string[], host: NodeJS.Process): Promise<void> {
  const [name, ...rest] = args;
  const say = (text: string): void => void host.stdout.write(text);
  if (name === '--version' || name === '-v') return say(`stopgo ${version}\n`);
  if (name === undefined || isHelp(name))
    return say(rest[0] === undefined ? overview(groups) : helpOf(rest[0], named(rest[0])));
  const command = named(name);
  if (isAskedForHelp(rest)) return say(helpOf(name, command));
  const given = parseFor(name, command, rest);
  const lines = new Folded(() => columnsOf(host.stdout));
  await command.run({ ...given, host, print: (line) => say(lines.folded(`${line}\n`)) });
}

/** What a command that rejected with this error writes to standard error, without the last line break. */
export function reportOf(error: unknown): string {
  return error instanceof ConfigError ? error.report() : `stopgo: ${messageOf(error)}`;
}

function named(name: string): Command {
  const command = commands.get(name);
  if (command !== undefined) return command;
  const meant = suggest(name, [...commands.keys()]);
  const guess = meant === undefined ? ';' : `; did you mean "${meant}"?`;
  throw new Error(`unknown command "${visibleLine(name)}"${guess} \`stopgo help\` lists all of them`);
}

const isHelp = (arg: string): boolean => ['help', '--help', '-h'].includes(arg);

/** `--help` among the options of a command. No option takes a text that looks like one. */
function isAskedForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? args.length : end).some((arg) => arg === '--help' || arg === '-h');
}
