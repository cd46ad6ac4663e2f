import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { repository } from '../promises/bundle.ts';

export const natsUser = 'stopgo';
export const natsPassword = 'a-password-of-a-test';

/** The nats-server of this machine; undefined if there is none. */
export function findNatsServer(): string | undefined {
  const named = process.env.STOPGO_NATS_SERVER;
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'nats-server'));
  const bundled = join(repository, '.cache/nats/usr/sbin/nats-server');
  return [...(named === undefined ? [] : [named]), ...onPath, bundled].find((program) => existsSync(program));
}

/** The configuration that we ship, on this machine only, with these ports and this folder. */
export function natsConfiguration(of: { port: number; monitorPort: number; storeDir: string }): string {
  const replacements: readonly (readonly [RegExp, string])[] = [
    [/^port: .*$/m, `listen: "127.0.0.1:${of.port}"`],
    [/^http: .*$/m, `http: "127.0.0.1:${of.monitorPort}"`],
    [/store_dir: .*$/m, `store_dir: ${JSON.stringify(of.storeDir)}`],
  ];
  return replacements.reduce(
    (text, [line, by]) => {
      if (!line.test(text)) throw new Error(`the shipped configuration of NATS has no line ${line}`);
      return text.replace(line, by);
    },
    readFileSync(join(repository, 'config/nats-server.conf'), 'utf8'),
  );
}
