import type { HttpClient } from './http-client.ts';
import { logBytesByRevision } from './log-bytes.ts';
import type { Model, Platform } from './platform.ts';
import { cpuSeconds, memoryMb } from './process-usage.ts';
import { median } from './quantiles.ts';
import type { Sizes } from './sizes.ts';
import { createConversation, openClients, stopAndGo, type Turn } from './turn.ts';

/** One conversation after so many turns: medians over the turns before, milliseconds. */
export type LongFigures = {
  readonly turn: number;
  readonly stopMs: number;
  readonly goMs: number;
  readonly modelMs: number;
  /** The whole turn without what the model took for itself. */
  readonly withoutModelMs: number;
  readonly cpuMs: number;
  readonly logBytes: number;
};

/** Turns before a mark that count for it, the one of the mark too. */
const windowTurns = 10;

type Measured = Turn & { readonly modelMs: number; readonly cpuMs: number };

/** Drives one conversation through many turns. Stops the platform: the bytes are counted in its file. */
export async function measureLong(
  platform: Platform,
  model: Model,
  { longTurns, longMarks }: Sizes,
): Promise<{ readonly marks: readonly LongFigures[]; readonly rssMb: number }> {
  const [client] = await openClients(platform.address, 1);
  const measured: Measured[] = [];
  const conversation = await createConversation(client as HttpClient);
  for (let turn = 1; turn <= longTurns; turn += 1) {
    const [cpu, spent] = [cpuSeconds(platform.pid), await model.spentMs()];
    const times = await stopAndGo(client as HttpClient, conversation, String(turn));
    const modelMs = (await model.spentMs()) - spent;
    measured.push({ ...times, modelMs, cpuMs: 1_000 * (cpuSeconds(platform.pid) - cpu) });
  }
  const rssMb = memoryMb(platform.pid).now;
  client?.close();
  await platform.stop();
  const bytes = logBytesByRevision(platform.dataDir, conversation);
  // Every turn has the same events; what the creation wrote is in the first.
  const perTurn = Math.floor(bytes.length / longTurns);
  const marks = longMarks.map((mark): LongFigures => {
    const window = measured.slice(Math.max(0, mark - windowTurns), mark);
    const of = (read: (one: Measured) => number): number => median(window.map(read));
    const end = bytes.length - (longTurns - mark) * perTurn;
    return {
      turn: mark,
      stopMs: of((one) => one.stopMs),
      goMs: of((one) => one.goMs),
      modelMs: of((one) => one.modelMs),
      withoutModelMs: of((one) => one.stopMs + one.goMs - one.modelMs),
      cpuMs: of((one) => one.cpuMs),
      logBytes: bytes.slice(end - perTurn, end).reduce((sum, one) => sum + one, 0),
    };
  });
  return { marks, rssMb };
}
