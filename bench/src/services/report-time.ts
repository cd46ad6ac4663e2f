import { median } from '../quantiles.ts';
import { ms, table, whole } from '../table.ts';
import type { CallsPerTurn } from './count-calls.ts';
import type { Round } from './measure.ts';
import type { Usage } from './parts.ts';
import { cpuIn, cpuOf, type Measured, shapeOf } from './summary.ts';

/** Acknowledged publishes of a turn: one for each append. */
const publishesPerTurn = 6;

/** CPU of a turn by service, each shape; then which part of it the calls and publishes alone would take. */
export function timeTables(
  rounds: readonly Round[],
  measured: readonly Measured[],
  calls: CallsPerTurn | undefined,
): readonly string[] {
  const tables = [`CPU ms per turn and its share:\n\n${cpuTable(measured)}`];
  const [smallest] = measured;
  const whole = smallest?.turns.find(({ times }) => times.concurrent > 1);
  if (whole === undefined || calls === undefined) return tables;
  const [exchange, publish] = (['stream', 'publish'] as const).map((name) =>
    median(rounds.map(({ transport }) => transport[name].cpuMs)),
  );
  const all = cpuOf(whole.cpu);
  // By the ratio within each round, not by the medians of both.
  const one = all / whole.cpuRatio;
  const row = (what: string, cpuMs: number): string[] => [what, ms(cpuMs), share(cpuMs, all)];
  const callsMs = calls.total * (exchange ?? 0);
  const publishesMs = publishesPerTurn * (publish ?? 0);
  return [
    ...tables,
    `What a turn of ${shapeOf(smallest?.shape ?? calls.shape)} at ${whole.times.concurrent} is made of, by the floor of the same run (CPU of both ends; bytes that nobody encodes or looks at):`,
    table(
      ['part', 'CPU ms per turn', 'share'],
      [
        row('the same turn in one process', one),
        row(
          `${ms(calls.total)} calls, each a message over an open stream and one back, of ${ms(exchange ?? 0)} ms`,
          callsMs,
        ),
        row(`${publishesPerTurn} publishes of ${ms(publish ?? 0)} ms`, publishesMs),
        row('the rest: encoding, contexts, follows, heartbeats', all - one - callsMs - publishesMs),
        row('all', all),
      ],
    ),
  ];
}

const share = (part: number, all: number): string => `${whole((100 * part) / all)} %`;

function cpuTable(measured: readonly Measured[]): string {
  const names = [...new Set(measured.flatMap(({ turns }) => turns.flatMap(({ cpu }) => cpu.map(({ name }) => name))))];
  return table(
    ['orchestrators / stores', 'at once', ...names, 'all'],
    measured.flatMap(({ shape, turns }) =>
      turns.map(({ times, cpu }) => {
        const all = cpuOf(cpu);
        const cells = names.map((name) => `${ms(cpuIn(cpu, name))} (${share(cpuIn(cpu, name), all)})`);
        return [shapeOf(shape), String(times.concurrent), ...cells, ms(all)];
      }),
    ),
  );
}

/** Memory of all processes of each service, when ready and after the turns of the shape's first round. */
export function memoryTable(measured: readonly Measured[]): string {
  const names = [...new Set(measured.flatMap(({ first }) => first.after.map(({ name }) => name)))];
  const cell = (usage: readonly Usage[], name: string): string =>
    whole(usage.find((one) => one.name === name)?.rssMb ?? 0);
  return table(
    ['orchestrators / stores', 'ready after', ...names.map((name) => `${name}: ready → after`)],
    measured.map(({ first: { shape, readyMs, idle, after } }) => [
      shapeOf(shape),
      `${whole(readyMs)} ms`,
      ...names.map((name) => `${cell(idle, name)} → ${cell(after, name)}`),
    ]),
  );
}
