// Child processes of the scripts: found in the repository's own node_modules, never in the user's.
import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');

/** Settings that `npm start` or a user's npm may hand down and that would make a nested install do something else. */
const HARMFUL_NPM_SETTINGS = new Set(
  ['dry_run', 'global', 'global_prefix', 'include_workspace_root', 'local_prefix', 'location', 'omit', 'only'].concat([
    'optional',
    'package_lock',
    'package_lock_only',
    'prefix',
    'production',
    'workspace',
    'workspaces',
  ]),
);

/** The environment for child processes: the tools of this repository come first, NODE_ENV does not hide any. */
export function toolEnvironment() {
  const env = {};
  for (const [name, value] of Object.entries(process.env)) {
    const setting = /^npm_config_(.+)$/i.exec(name)?.[1]?.toLowerCase().replaceAll('-', '_');
    if (setting === undefined || !HARMFUL_NPM_SETTINGS.has(setting)) env[name] = value;
  }
  delete env.NODE_ENV;
  const pathName = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  env[pathName] = [join(root, 'node_modules', '.bin'), env[pathName]].filter(Boolean).join(delimiter);
  return env;
}

/**
 * Runs a program in the repository to its end, with this process's output. Resolves to its exit code; a program that
 * a signal ended gives 1. `env` is added to the environment; `started` is told the process's id. SIGTERM and SIGHUP are passed on; SIGINT reaches the child by itself from the terminal.
 */
export function runToEnd(command, args, { input = 'ignore', env = {}, started = () => {} } = {}) {
  return new Promise((resolve, reject) => {
    const environment = { ...toolEnvironment(), ...env };
    const child = spawn(command, args, { cwd: root, env: environment, stdio: [input, 'inherit', 'inherit'] });
    const forward = (signal) => child.kill(signal);
    const wait = () => {};
    process.on('SIGTERM', forward).on('SIGHUP', forward).on('SIGINT', wait);
    const done = () => process.off('SIGTERM', forward).off('SIGHUP', forward).off('SIGINT', wait);
    if (child.pid !== undefined) started(child.pid);
    child.once('error', (error) => {
      done();
      reject(error);
    });
    child.once('close', (code) => {
      done();
      resolve(code ?? 1);
    });
  });
}

/** Runs a program and keeps its output. Resolves to `{ code, output }`; a program that cannot be started has code 127. */
export function capture(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, env: toolEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    child.once('error', (error) => resolve({ code: 127, output: `${command}: ${error.message}\n` }));
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
