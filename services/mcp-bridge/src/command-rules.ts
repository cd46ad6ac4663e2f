import { basename } from 'node:path';
import type { McpTransport } from '@stopgo/runtime';

type StdioTransport = Extract<McpTransport, { kind: 'stdio' }>;

/** Programs that take a command line as an argument, and the options that they take it with. */
const commandLines: readonly { readonly programs: RegExp; readonly options: RegExp; readonly signs?: RegExp }[] = [
  { programs: /^(?:ba|da|z|k|c|tc|fi|a)?sh$/u, options: /^-[a-z]*c[a-z]*$/u },
  { programs: /^(?:cmd|command)$/u, options: /^\/[ck]$/iu, signs: /^\//u },
  { programs: /^(?:powershell|pwsh)$/u, options: /^-(?:c|command|e|ec|encodedcommand)$/iu },
  { programs: /^(?:npx|npm|pnpm|bunx)$/u, options: /^(?:-c|--call(?:=.*)?)$/u },
  { programs: /^env$/u, options: /^(?:-[a-zA-Z]*S|--split-string)/u },
];

/** Variables that make a program load code which is not its own. */
const loadsCode: ReadonlySet<string> = new Set([
  'LD_PRELOAD',
  'LD_AUDIT',
  'LD_LIBRARY_PATH',
  'DYLD_INSERT_LIBRARIES',
  'DYLD_LIBRARY_PATH',
  'NODE_OPTIONS',
  'NODE_PATH',
  'BASH_ENV',
  'ENV',
  'PYTHONSTARTUP',
  'PERL5OPT',
  'RUBYOPT',
  'JAVA_TOOL_OPTIONS',
]);

/** Options of those programs that have their value in the next argument. */
const withValue = /^(?:-p|--package|[-+][oO]|--rcfile|--init-file|-u|--unset|-C|--chdir)$/u;

/** The options of the program itself: what comes after its first other argument is for what it starts. */
function ownOptions(args: readonly string[], signs: RegExp): readonly string[] {
  const own: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (!signs.test(arg) || arg === '--') return own;
    own.push(arg);
    if (withValue.test(arg)) at += 1;
  }
  return own;
}

/** What `env` starts: its options first, then variables, then the program and its arguments. */
function startedByEnv(args: readonly string[], env: StdioTransport['env']): Parameters<typeof commandProblem>[0] {
  const own = ownOptions(args, /^-/u);
  let at = own.reduce((count, option) => count + (withValue.test(option) ? 2 : 1), 0);
  if (args[at] === '--') at += 1;
  const all = { ...env };
  for (let assigned = args[at]; assigned?.includes('=') === true; assigned = args[at]) {
    const [name = ''] = assigned.split('=', 1);
    all[name] = assigned.slice(name.length + 1);
    at += 1;
  }
  return { command: args[at] ?? '', args: args.slice(at + 1), env: all };
}

/** Why a server must not be started this way; undefined if it may. Says nothing of the values, which may be credentials. */
export function commandProblem({
  command,
  args,
  env,
}: Pick<StdioTransport, 'command' | 'args' | 'env'>): string | undefined {
  const program = basename(command.replaceAll('\\', '/')).replace(/\.(?:exe|cmd|bat)$/iu, '');
  const rule = commandLines.find(({ programs }) => programs.test(program));
  const own = rule === undefined ? [] : ownOptions(args, rule.signs ?? /^[-+]/u);
  const [option] = own.flatMap((arg) => rule?.options.exec(arg)?.[0] ?? []);
  if (option !== undefined)
    return `"${program} ${option}" runs a command line, and no shell is used; name the program in command and its arguments in args`;
  if (program === 'env') return commandProblem(startedByEnv(args, env));
  const variable = Object.keys(env).find((name) => loadsCode.has(name.toUpperCase()));
  return variable === undefined
    ? undefined
    : `env sets ${variable}, which makes a program load other code than its own; remove it`;
}
