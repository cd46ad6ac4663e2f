import { findNatsServer } from '@stopgo/cli';

/** True if tests can start a nats-server. Where one must be (CI), its absence is an error and no reason to skip. */
export const hasNatsServer = found();

function found(): boolean {
  try {
    findNatsServer(process.env);
    return true;
  } catch (error) {
    if (process.env.CI === 'true') throw error;
    console.warn(`SKIPPED, whatever needs NATS: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}
