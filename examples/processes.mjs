// Child processes of an example.
import { spawn } from 'node:child_process';

/** How long a process is given to be ready, or to end, in milliseconds. */
const PATIENCE_MS = 30_000;

/** What programs need of your environment; keys, proxies and settings stay out of the stories. */
const ENVIRONMENT = Object.fromEntries(
  ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'SYSTEMROOT'].map((name) => [name, process.env[name]]),
);

/** Starts a Node program and waits until it prints what `ready` matches; its first group is the program's `url`. */
export async function launch(args, { cwd, env = {}, ready }) {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...ENVIRONMENT, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let printed = '';
  const ended = new Promise((resolve) => child.once('close', resolve));
  const program = {
    output: () => printed,
    kill: () => {
      child.kill('SIGKILL');
      return ended;
    },
    /** Ends it in good order. */
    stop: async () => {
      child.kill('SIGTERM');
      const code = await within(ended, () => `${args.join(' ')} did not end:\n${printed}`);
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}:\n${printed}`);
    },
  };
  const url = new Promise((resolve) => {
    const collect = (text) => {
      printed += text;
      const match = ready.exec(printed);
      if (match !== null) resolve(match[1]);
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
  });
  const failed = ended.then((code) => {
    throw new Error(`${args.join(' ')} ended at once with ${code}:\n${printed}`);
  });
  failed.catch(() => {}); // it ends one day, whoever waits for that
  try {
    return {
      ...program,
      url: await within(Promise.race([url, failed]), () => `${args.join(' ')} is not ready:\n${printed}`),
    };
  } catch (error) {
    void program.kill();
    throw error;
  }
}

/** Runs a Node program to its end, with `input` on its standard input; gives what it printed, throws if it failed. */
export async function runNode(args, cwd, input = '') {
  const child = spawn(process.execPath, args, { cwd, env: ENVIRONMENT, stdio: ['pipe', 'pipe', 'pipe'] });
  let printed = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  child.stdin.end(input);
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}:\n${printed}${errors}`);
  return printed;
}

function within(promise, message) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${PATIENCE_MS} ms: ${message()}`)), PATIENCE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
