import { findNatsServer } from '@stopgo/cli';
import { tierOf } from '../tiers.ts';

/**
 * True if tests can start a nats-server. Where one must be (CI), its absence is an error and no reason to skip; the quick tests
 * do without one everywhere.
 */
export const hasNatsServer = tierOf(process.env) !== 'quick' && found();

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
