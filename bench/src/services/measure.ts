import { type Floor, type FloorSizes, measureFloor } from '../floor.ts';
import { measureTurns, type TurnFigures, type TurnSizes } from '../measure-turns.ts';
import { type Model, startHttpTool, startPlatform } from '../platform.ts';
import { type TurnTimes, turnsAtOnce } from '../turns-at-once.ts';
import { measureServicesFloor, type ServicesFloor } from './floor.ts';
import { type Usage, usageOf } from './parts.ts';
import { type ServicesPlatform, type Shape, startServices } from './platform.ts';

/** CPU of all processes of one service, in milliseconds per turn. */
export type CpuOfService = { readonly name: string; readonly cpuMsPerTurn: number };

/** Milliseconds of a turn that are not the platform's, by the clocks of those that they are. */
export type SpentByOthers = { readonly modelMs: number; readonly toolMs: number };

/** Turns, with the CPU of each service and of nats-server. */
export type ServicesTurnFigures = TurnTimes & SpentByOthers & { readonly cpu: readonly CpuOfService[] };

/** One start of a shape, ready and after the turns. */
export type ServicesFigures = {
  readonly shape: Shape;
  readonly readyMs: number;
  readonly idle: readonly Usage[];
  readonly after: readonly Usage[];
  readonly turns: readonly ServicesTurnFigures[];
};

/** The floor, the one process and the services in turn, so that what else the machine does hits all of them. */
export type Round = {
  readonly floor: Floor;
  readonly transport: ServicesFloor;
  readonly oneProcess: readonly TurnFigures[];
  readonly services: ServicesFigures;
};

export type RoundSizes = FloorSizes & TurnSizes & { readonly shapes: readonly Shape[]; readonly floorCalls: number };

/** Measures one shape on a fresh start, beside a fresh start of the one process with the same model and tool server. */
export async function measureRound(model: Model, shape: Shape, sizes: RoundSizes): Promise<Round> {
  const floor = await measureFloor(sizes);
  const oneProcess = await measureOneProcess(model, sizes);
  const platform = await startServices(model.address, shape);
  try {
    const transport = await measureServicesFloor(platform, sizes.floorCalls);
    return { floor, transport, oneProcess, services: await measureShape(model, platform, sizes) };
  } finally {
    await platform.remove();
  }
}

/** With the tool server over HTTP, as the services have it. */
async function measureOneProcess(model: Model, sizes: TurnSizes): Promise<readonly TurnFigures[]> {
  const http = await startHttpTool();
  const platform = await startPlatform(model.address, [], http.tool);
  try {
    return (await measureTurns(platform, sizes)).turns;
  } finally {
    await platform.remove();
    await http.stop();
  }
}

async function measureShape(model: Model, platform: ServicesPlatform, sizes: TurnSizes): Promise<ServicesFigures> {
  const { shape, readyMs, address } = platform;
  const spent = () => Promise.all([model.spentMs(), platform.toolSpentMs()]);
  const usage = () => usageOf(platform.parts());
  const idle = usage();
  await turnsAtOnce(address, { concurrent: 50, turns: sizes.warmUpTurns }, usage);
  const turns: ServicesTurnFigures[] = [];
  for (const count of sizes.turns) {
    const [modelBefore, toolBefore] = await spent();
    const { times, before, after } = await turnsAtOnce(address, count, usage);
    const [modelAfter, toolAfter] = await spent();
    const others = {
      modelMs: (modelAfter - modelBefore) / count.turns,
      toolMs: (toolAfter - toolBefore) / count.turns,
    };
    const cpu = cpuBetween(before, after).map(({ name, seconds }) => ({
      name,
      cpuMsPerTurn: (1_000 * seconds) / count.turns,
    }));
    turns.push({ ...times, ...others, cpu });
  }
  return { shape, readyMs, idle, after: usage(), turns };
}

/** CPU that was used between two looks, by service. */
export function cpuBetween(
  before: readonly Usage[],
  after: readonly Usage[],
): readonly { readonly name: string; readonly seconds: number }[] {
  const earlier = new Map(before.map((one) => [one.name, one.cpuSeconds]));
  return after.map(({ name, cpuSeconds }) => ({ name, seconds: cpuSeconds - (earlier.get(name) ?? 0) }));
}
