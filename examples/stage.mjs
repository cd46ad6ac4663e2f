// The processes and files of one example: an offline model, and the platform in a folder of its own.
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../scripts/processes.mjs';
import { offlineModel } from './offline-model.mjs';
import { launch, runNode } from './processes.mjs';
import { toolServer } from './tool-server.mjs';

const stopgo = join(root, 'cli', 'dist', 'main.js');

/** Prepares an example in an empty folder, starts the offline model, and `companion` if it has one. The platform is started by `start`. */
export async function openStage(example, folder, companion) {
  const config = join(folder, 'agent.yaml');
  // Relative paths of the configuration are meant from the folder that the platform is started in, as in the repository.
  symlinkSync(join(root, 'mcp-servers'), join(folder, 'mcp-servers'), 'junction');
  const agent = companion && (await startCompanion(join(root, 'examples', example, companion), folder));
  const yaml = onAnyPort(readFileSync(join(root, 'examples', example, 'agent.yaml'), 'utf8'));
  writeFileSync(config, agent === undefined ? yaml : yaml.replace(COMPANION_URL, agent.url));
  const model = await offlineModel();
  let platform;
  return {
    model,
    /** Where the agent beside it is, if there is one. */
    companionUrl: agent?.url,
    /** The tools themselves, asked behind the agent's back: what is really there. */
    ...toolServer(folder),
    url: () => platform.url,
    output: () => platform?.output() ?? '',
    start: async () => {
      platform = await launch([stopgo, 'start', '--config', config], {
        cwd: folder,
        env: model.env,
        ready: /ready on (http:\S+) after/,
      });
    },
    /** As a power cut would: `kill -9`. */
    cut: () => platform.kill(),
    stop: async () => {
      await platform.stop();
      await agent?.stop();
    },
    /** Lets `stopgo verify` prove the record: the hash chains hold, and each view equals its events. */
    verify: async () => (await runNode([stopgo, 'verify', '--data-dir', join(folder, 'data')], folder)).trim(),
  };
}

/** Where the configuration of an example has the agent that is started beside it. */
const COMPANION_URL = 'http://127.0.0.1:8090';

/** Starts a program that prints where it listens, on any port. */
const startCompanion = (program, cwd) =>
  launch([program], { cwd, env: { PORT: '0' }, ready: /listening on (http:\S+)/ });

/** The only change that is made to a configuration, but for the address of an agent beside it. */
function onAnyPort(yaml) {
  const changed = yaml.replace(/^port: \d+$/m, 'port: 0');
  if (changed === yaml) throw new Error('the configuration has no line "port: NUMBER" that could be changed to 0');
  return changed;
}
