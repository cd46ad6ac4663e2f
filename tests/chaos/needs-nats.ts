import { describe, test } from 'vitest';
import { findNatsServer } from './nats-server.ts';

/** Tests that need a nats-server. Without one they are skipped with a line that says so; with CI=true they fail. */
export function describeOnNats(name: string, tests: (natsServer: string) => void): void {
  const natsServer = findNatsServer();
  if (natsServer !== undefined) describe(name, () => tests(natsServer));
  else if (process.env.CI === 'true')
    test(name, () => {
      throw new Error('there is no nats-server: put one on the PATH or name it in STOPGO_NATS_SERVER');
    });
  else {
    process.stderr.write(`skipped: ${name}: no nats-server on the PATH or in STOPGO_NATS_SERVER\n`);
    test.skip(`${name} (no nats-server)`, () => undefined);
  }
}
