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

/** Variables that can make a program load code which is not its own, whatever their value; NODE_OPTIONS is looked at more closely. */
const loadsCode: ReadonlySet<string> = new Set([
  'LD_PRELOAD',
  'LD_AUDIT',
  'LD_LIBRARY_PATH',
  'DYLD_INSERT_LIBRARIES',
  'DYLD_LIBRARY_PATH',
  'NODE_PATH',
  'BASH_ENV',
  'ENV',
  'PYTHONSTARTUP',
  'PERL5OPT',
  'RUBYOPT',
  'JAVA_TOOL_OPTIONS',
]);

/** Options that NODE_OPTIONS may hold: none of them loads a module, opens a debugger or reads another file of options. */
const harmlessOptions: ReadonlySet<string> = new Set([
  '--disable-warning',
  '--dns-result-order',
  '--enable-source-maps',
  '--max-http-header-size',
  '--max-old-space-size',
  '--max-semi-space-size',
  '--network-family-autoselection-attempt-timeout',
  '--no-deprecation',
  '--no-network-family-autoselection',
  '--no-warnings',
  '--stack-trace-limit',
  '--trace-deprecation',
  '--trace-uncaught',
  '--trace-warnings',
  '--unhandled-rejections',
  '--use-bundled-ca',
  '--use-env-proxy',
  '--use-openssl-ca',
  '--use-system-ca',
]);

/** Why NODE_OPTIONS may not be what it is; undefined if it may. Node takes `_` for `-` in the names of options. */
function nodeOptionsProblem(options: string): string | undefined {
  const names = options
    .split(/\s+/u)
    .filter((option) => option !== '')
    .map((option) => (option.split('=', 1)[0] ?? '').replaceAll('_', '-'));
  const other = names.find((name) => !harmlessOptions.has(name));
  if (other === undefined) return undefined;
  // What is no option may be a part of a value.
  const shown = /^--?[a-z][a-z0-9-]{0,63}$/u.test(other)
    ? `the option ${other}`
    : 'a value that is not joined to its option by =';
  return `env sets NODE_OPTIONS with ${shown}; allowed are only some that can load no code, such as --max-old-space-size=4096: remove it, or give it in args if the program is node`;
}

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
  if (variable !== undefined)
    return `env sets ${variable}, which can make a program load code that is not its own; remove it`;
  const ofNode = Object.entries(env).filter(([name]) => name.toUpperCase() === 'NODE_OPTIONS');
  return nodeOptionsProblem(ofNode.map(([, options]) => options).join(' '));
}
