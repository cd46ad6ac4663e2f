// The processes and files of one example: an offline model, and an agent for each configuration, in a folder of its own.
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../scripts/processes.mjs';
import { createAgent } from './agent.mjs';
import { offlineModel } from './offline-model.mjs';
import { launch, runNode } from './processes.mjs';
import { toolServer } from './tool-server.mjs';

const stopgo = join(root, 'cli', 'dist', 'main.js');

/** The agent that people talk to; the others of an example are only talked to by agents. */
const FRONT = 'agent';

/**
 * Prepares an example in an empty folder, and starts the offline model. `agent.yaml` is the agent that the story talks to;
 * the `others` are there by the names of their files. `start` starts all of them, those first that others talk to. A
 * `companion` is a program beside them, at port 8090 by their text; it is there from the beginning. All are given the variables of `more`.
 */
export async function openStage(example, folder, companion, more = {}) {
  const model = await offlineModel();
  const beside = companion && (await startCompanion(join(root, 'examples', example, companion), folder, more));
  const names = readdirSync(join(root, 'examples', example))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => basename(file, '.yaml'));
  const agents = new Map(
    names.map((name) => [name, openAgent(example, name, join(folder, name), { ...model.env, ...more })]),
  );
  const front = agents.get(FRONT);
  const others = Object.fromEntries([...agents].filter(([name]) => name !== FRONT));
  return {
    model,
    /** Where the companion is. */
    companionUrl: beside?.url,
    /** Waits until the companion prints what a pattern matches, and gives that. */
    companionSays: beside?.says,
    ...front,
    others,
    output: () => [...agents.values()].map((one) => one.output()).join('\n'),
    /** Starts those that do not run. */
    start: async () => {
      const waiting = new Set([...agents.values()].filter((one) => !one.isRunning()));
      const ports = [...agents.values()].filter((one) => one.isRunning()).map((one) => one.address());
      if (beside !== undefined) ports.push({ written: COMPANION_PORT, port: new URL(beside.url).port });
      while (waiting.size > 0) {
        const next = [...waiting].find((one) => ![...waiting].some((other) => one !== other && one.talksTo(other)));
        if (next === undefined) throw new Error(`the agents of ${example} talk to each other in a circle`);
        await next.start(ports);
        ports.push(next.address());
        waiting.delete(next);
      }
    },
    /** As a power cut would: `kill -9`, all of them. */
    cut: () => Promise.all([...agents.values()].map((one) => one.cut())),
    stop: async () => {
      for (const one of agents.values()) await one.stop();
      await beside?.stop();
    },
    verify: async () => {
      const said = [];
      for (const one of agents.values()) said.push(await one.verify());
      return said.join('\n');
    },
  };
}

function openAgent(example, name, folder, env) {
  mkdirSync(folder);
  const config = join(folder, 'agent.yaml');
  const yaml = readFileSync(join(root, 'examples', example, `${name}.yaml`), 'utf8');
  const written = /^port: (\d+)$/m.exec(yaml)?.[1];
  if (written === undefined) throw new Error(`${name}.yaml has no line "port: NUMBER" that could be changed`);
  // Relative paths of the configuration are meant from the folder that the platform is started in, as in the repository.
  symlinkSync(join(root, 'mcp-servers'), join(folder, 'mcp-servers'), 'junction');
  // What an example brings along is changed in a copy.
  cpSync(join(root, 'examples', example), join(folder, 'examples', example), { recursive: true });
  let port = '0';
  let platform;
  const url = () => platform.url;
  return {
    agent: createAgent(url),
    /** The tools themselves, asked behind the agent's back: what is really there. */
    ...toolServer(folder),
    /** Where the agent was started. */
    folder,
    url,
    output: () => platform?.output() ?? '',
    isRunning: () => platform !== undefined,
    /** Which port the configuration names, and which one it is in this story. */
    address: () => ({ written, port }),
    talksTo: (other) => yaml.includes(addressOf(other.address().written)),
    /** Only ports are changed: of the agent, any that is free the first time and the same again after that. */
    start: async (ports) => {
      const own = yaml.replace(/^port: \d+$/m, `port: ${port}`);
      const text = ports.reduce((so, one) => so.replaceAll(addressOf(one.written), addressOf(one.port)), own);
      writeFileSync(config, text);
      platform = await launch([stopgo, 'start', '--config', config], {
        cwd: folder,
        env,
        ready: /ready on (http:\S+) after/,
      });
      ({ port } = new URL(platform.url));
    },
    /** As a power cut would: `kill -9`. */
    cut: async () => {
      const { kill } = platform;
      await kill();
      platform = undefined;
    },
    stop: () => platform.stop(),
    /** Lets `stopgo verify` prove the record: the hash chains hold, and each view equals its events. */
    verify: async () => (await runNode([stopgo, 'verify', '--data-dir', join(folder, 'data')], folder)).trim(),
  };
}

const COMPANION_PORT = '8090';

/** Starts a program that prints where it listens, on any port. */
const startCompanion = (program, cwd, more) =>
  launch([program], { cwd, env: { PORT: '0', ...more }, ready: /listening on (http:\S+)/ });

const addressOf = (port) => `http://127.0.0.1:${port}/`;
