import { runCaptured } from '@stopgo/cli';
import type { FailedStart } from './platform.ts';

/** Runs a `stopgo` command in this process, with `input` in its pipe; gives what `stopgo` of platform.ts gives, for a hundredth of the time. */
export async function stopgoHere(args: readonly string[], input = ''): Promise<FailedStart> {
  const { code, output, errors } = await runCaptured(args, {}, input);
  return { code, output: output + errors, errors };
}
