import type { Command, CommandGroup } from './command.ts';
import { type OptionName, spelled } from './options.ts';

const indent = '  ';

/** What commands that go through a gateway take from the environment. */
const ofGateway = [
  'STOPGO_API_KEY',
  'where people sign in: an API key of yours; nothing else signs a command in',
] as const;

/** Every command with one line about it. */
export function overview(groups: readonly CommandGroup[]): string {
  const width = Math.max(...groups.flatMap(({ commands }) => Object.entries(commands).map(usageWidth))) + indent.length;
  const lines = groups.flatMap(({ heading, commands }) => [
    '',
    `${heading}:`,
    ...Object.entries(commands).map(
      ([name, command]) => `${indent}${nameAndArguments(name, command).padEnd(width)}${command.summary}`,
    ),
  ]);
  return [
    'usage: stopgo COMMAND [options]',
    ...lines,
    '',
    '`stopgo help COMMAND` shows the options of a command, and examples; `stopgo --version` the version.',
    '',
  ].join('\n');
}

/** All there is to say about one command. */
export function helpOf(name: string, command: Command): string {
  const { summary, options, about = [], examples } = command;
  const rows = (Object.entries(options) as [OptionName, string][]).map(
    ([option, text]) => [spelled(option), text] as const,
  );
  return [
    `usage: stopgo ${nameAndArguments(name, command)}${rows.length === 0 ? '' : ' [options]'}`,
    '',
    `${summary}.`,
    ...about,
    ...table('options', rows),
    ...table('environment', 'url' in options ? [ofGateway] : []),
    ...table('examples', examples),
    '',
  ].join('\n');
}

function table(heading: string, rows: readonly (readonly [string, string])[]): string[] {
  if (rows.length === 0) return [];
  const width = Math.max(...rows.map(([first]) => first.length)) + indent.length;
  return ['', `${heading}:`, ...rows.map(([first, second]) => `${indent}${first.padEnd(width)}${second}`.trimEnd())];
}

function nameAndArguments(name: string, { takes }: Command): string {
  return takes === undefined ? name : `${name} ${takes}`;
}

const usageWidth = ([name, command]: readonly [string, Command]): number => nameAndArguments(name, command).length;
