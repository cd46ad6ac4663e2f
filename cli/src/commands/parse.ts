import { parseArgs } from 'node:util';
import { suggest, visibleLine } from '@stopgo/core';
import { messageOf } from '@stopgo/runtime';
import { defaultUrl, holdsCredentials, noCredentials } from '../platform-url.ts';
import { shellWord } from '../shown.ts';
import type { Command } from './command.ts';
import { type Flags, type OptionName, options } from './options.ts';

/** Reads what stands behind the name of a command. @throws Error in one line that says where help is. */
export function parseFor(
  name: string,
  command: Command,
  args: readonly string[],
): { readonly flags: Flags; readonly args: readonly string[] } {
  const help = `see \`stopgo help ${name}\``;
  const { values, positionals, tokens } = parsed(args, command, help);
  for (const token of tokens)
    if (token.kind === 'option' && !(token.name in command.options))
      throw new Error(`--${token.name} does not go with "${name}"; ${help}`);
  const [least, most] = command.arguments;
  if (positionals.length < least || positionals.length > most)
    throw new Error(`"${name}" takes ${command.takes ?? 'no argument'}; ${help}`);
  return { flags: values as Flags, args: positionals };
}

function parsed(args: readonly string[], command: Command, help: string) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, tokens: true });
  } catch (error) {
    // What follows the first sentence is about positional arguments, which none of the commands takes in that form.
    const [problem = ''] = messageOf(error).split('. ');
    const dashed = /^Option '--([\w-]+)' argument is ambiguous/.exec(problem)?.[1];
    if (dashed !== undefined)
      throw new Error(`--${dashed} takes a value; one that begins with a dash is written --${dashed}=VALUE; ${help}`);
    const written = /^Unknown option '--?([\w-]+)'/.exec(problem)?.[1];
    const meant = written === undefined ? undefined : suggest(written, Object.keys(command.options));
    throw new Error(`${visibleLine(problem)}${meant === undefined ? ';' : `; did you mean --${meant}?`} ${help}`);
  }
}

/** The address of the gateway that `--url` or `--port` names, else the default one. @throws Error if it is none, or both are given. */
export function gatewayUrl({ url, port }: Flags): string {
  if (port === undefined) return url === undefined ? defaultUrl : checkedUrl(url);
  if (url !== undefined) throw new Error('--port is short for --url http://127.0.0.1:PORT; give one of the two');
  return `http://127.0.0.1:${portOf(port, 1)}`;
}

function checkedUrl(url: string): string {
  if (holdsCredentials(url)) throw new Error(`--url ${noCredentials}`);
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:')
    throw new Error(`--url takes the URL of a platform, for example ${defaultUrl}, not "${visibleLine(url)}"`);
  // Paths of the platform are absolute: one behind a prefix would not be asked.
  if (parsed.pathname !== '/' || /[?#]/.test(url))
    throw new Error(`--url takes scheme, host and port alone: ${parsed.origin}, without a path`);
  return url;
}

/** Commands that end in a decision, or may. */
const deciding: readonly string[] = ['chat', 'approve', 'reject', 'answer', 'standing', 'cancel', 'pause', 'resume'];

/** A line to copy that runs `stopgo` with these words on the platform that the options name, for whoever decides. */
export function commandLineOf(words: string, { url, port, by, 'max-call-depth': depth }: Flags): string {
  const where = port === undefined ? (url === undefined ? '' : ` --url ${shellWord(url)}`) : ` --port ${port}`;
  const [command = ''] = words.split(' ', 1);
  const who = by === undefined || !deciding.includes(command) ? '' : ` --by=${shellWord(by)}`;
  // What is said from there on is to be as strict.
  const strict = depth === undefined || command !== 'chat' ? '' : ` --max-call-depth ${shellWord(depth)}`;
  return `npx stopgo ${words}${where}${who}${strict}`;
}

/** A port, `least` or higher. */
export function portOf(text: string, least: 0 | 1): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port >= least && port <= 65_535))
    throw new Error(`--port takes a whole number from ${least} to 65535, not "${visibleLine(text)}"`);
  return port;
}

/** The whole number, from 1 on, of an option; undefined if it was not given. @throws Error if it is none. */
export function wholeNumber(flags: Flags, name: 'max-call-depth'): number | undefined {
  const text = flags[name];
  if (text === undefined || /^[1-9]\d{0,8}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw new Error(`--${name} takes a whole number from 1, not "${visibleLine(text)}"`);
}

/** The options that were given, of those that are named. */
export function pick<Name extends OptionName>(flags: Flags, ...names: readonly Name[]): Pick<Flags, Name> {
  return Object.fromEntries(
    names.filter((name) => flags[name] !== undefined).map((name) => [name, flags[name]]),
  ) as Pick<Flags, Name>;
}
