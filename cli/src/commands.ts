import { parseArgs } from 'node:util';
import { startCommand } from './start/command.ts';

/** Version of the platform, as it names itself to tool servers. */
const version = '0.1.0';

const usage = `usage: stopgo <command> [options]

  start [--config FILE] [--demo]   everything in one process, on the embedded log (default: config/agent.yaml)
`;

/** Runs the command that the arguments name. Rejects with one clear line if it cannot. */
export async function runCommand(args: readonly string[], host: NodeJS.Process): Promise<void> {
  const [command, ...rest] = args;
  switch (command) {
    case 'start': {
      const { values } = parseArgs({
        args: rest,
        options: { config: { type: 'string' }, demo: { type: 'boolean', default: false } },
      });
      const { config, demo } = values;
      return startCommand({ demo, ...(config === undefined ? {} : { config }) }, host, version);
    }
    case undefined:
    case 'help':
    case '--help':
      host.stdout.write(usage);
      return;
    default:
      throw new Error(`unknown command "${command}"\n\n${usage}`);
  }
}
