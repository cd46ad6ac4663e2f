import { run } from './run.ts';

/** What composes containers on this machine, and the engine below it. */
export type Tool = {
  readonly compose: readonly [command: string, ...args: string[]];
  readonly engine: 'docker' | 'podman';
};

/** Docker with its compose plugin and a running engine, else podman-compose; undefined if this machine has neither. */
export async function findTool(): Promise<Tool | undefined> {
  const works = async (command: string, ...args: string[]) => (await run(command, args)).code === 0;
  if ((await works('docker', 'compose', 'version')) && (await works('docker', 'info')))
    return { compose: ['docker', 'compose'], engine: 'docker' };
  if ((await works('podman-compose', '--version')) && (await works('podman', 'info')))
    return { compose: ['podman-compose'], engine: 'podman' };
  return undefined;
}
