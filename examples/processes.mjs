// Child processes of an example.
import { spawn } from 'node:child_process';

/** How long a process is given to be ready, or to end, in milliseconds. */
const PATIENCE_MS = 30_000;

/** What programs need of your environment; keys, proxies and settings stay out of the stories. */
const ENVIRONMENT = Object.fromEntries(
  ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'SYSTEMROOT'].map((name) => [name, process.env[name]]),
);

/** How long a process is given to end in good order when a story is over before its end, in milliseconds. */
const FAREWELL_MS = 5_000;

/** How to end each process that runs now. */
const running = new Set();
let isOver = false;

/** Ends whatever runs, also what is only starting; in good order if it can, so that it ends its own children first. */
export async function endAll() {
  await Promise.all([...running].map((end) => end()));
}

/** {@link endAll}, and nothing is started any more. */
export function endForGood() {
  isOver = true;
  return endAll();
}

/** Starts a Node program and waits until it prints what `ready` matches; its first group is the program's `url`. */
export async function launch(args, { cwd, env, ready }) {
  const { child, ended, kill, output } = run(args, cwd, env);
  const printed = (pattern) =>
    new Promise((resolve) => {
      const look = () => {
        const match = pattern.exec(output());
        if (match !== null) resolve(match);
      };
      child.stdout.on('data', look);
      look();
    });
  const url = printed(ready).then((match) => match[1]);
  const failed = ended.then((code) => {
    throw new Error(`${args.join(' ')} ended at once with ${code}:\n${output()}`);
  });
  failed.catch(() => {}); // it ends one day, whoever waits for that
  return {
    url: await within(Promise.race([url, failed]), () => `${args.join(' ')} is not ready:\n${output()}`),
    output,
    /** Waits until it prints what the pattern matches, and gives that. */
    says: async (pattern) => (await within(printed(pattern), () => `${pattern} was not printed:\n${output()}`))[0],
    kill,
    /** Ends it in good order. */
    stop: async () => {
      child.kill('SIGTERM');
      const code = await within(ended, () => `${args.join(' ')} did not end:\n${output()}`);
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}:\n${output()}`);
    },
  };
}

/** Runs a Node program to its end, with `input` on its standard input; gives what it printed, throws if it failed. */
export async function runNode(args, cwd, input = '') {
  const { child, ended, output, printed } = run(args, cwd);
  child.stdin.end(input);
  const code = await ended;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}:\n${output()}`);
  return printed();
}

function run(args, cwd, env = {}) {
  if (isOver) throw new Error(`${args.join(' ')} is not started any more`);
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...ENVIRONMENT, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const kill = () => {
    child.kill('SIGKILL');
    return ended;
  };
  const end = async () => {
    child.kill('SIGTERM');
    const late = setTimeout(kill, FAREWELL_MS);
    await ended;
    clearTimeout(late);
  };
  running.add(end);
  void ended.then(() => running.delete(end));
  let printed = '';
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text;
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  return { child, ended, kill, printed: () => printed, output: () => output };
}

function within(promise, message) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${PATIENCE_MS} ms: ${message()}`)), PATIENCE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
