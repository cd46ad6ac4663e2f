import { runCaptured } from '@stopgo/cli';
import type { FailedStart } from './platform.ts';

/** Runs a `stopgo` command in this process; gives what `stopgo` of platform.ts gives, for a hundredth of the time. */
export async function stopgoHere(args: readonly string[]): Promise<FailedStart> {
  const { code, output, errors } = await runCaptured(args);
  return { code, output: output + errors, errors };
}
