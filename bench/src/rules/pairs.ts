import { type Platform, startModel, startPlatform, stdioTool } from '../platform.ts';
import { cpuSeconds } from '../process-usage.ts';
import { median } from '../quantiles.ts';
import { rotated } from '../rows-over.ts';
import { say } from '../run.ts';
import { turnsAtOnce } from '../turns-at-once.ts';
import { fiftyRules, nthOf } from './fifty.ts';

/** How often the platforms are started anew, and how many rounds each start sees. */
export type PairSizes = { readonly starts: number; readonly rounds: number };

const again = 'no rules, once more';
/** What is compared to the platforms without rules. The second one without any shows how much the figures differ by themselves. */
const compared = {
  [again]: [],
  '50 rules by name alone': fiftyRules('erase', nthOf.names),
  '50 rules with predicates': fiftyRules('erase', nthOf.predicates),
} as const;
type Compared = keyof typeof compared;
type Name = Compared | 'no rules';

/** Milliseconds of CPU a turn. */
type Round = Readonly<Record<Name, number>>;
const withoutRules = (one: Round): number => (one['no rules'] + one[again]) / 2;

const warmUpTurns = 2_000;
const round = { concurrent: 50, turns: 300 } as const;

/**
 * Turns on platforms with and without rules that are up at the same time. In each round each makes the same turns, one platform after the
 * other, in another order each time; what else the machine does meets all of them. Prints the CPU of the platform's process a turn, and for each pair
 * the ratio: the median over all rounds, and where that lies with a certainty of 95 % (by the ranks of the rounds).
 */
export async function measurePairs({ starts, rounds }: PairSizes): Promise<void> {
  const measured: Round[] = [];
  const model = await startModel();
  try {
    for (let start = 1; start <= starts; start += 1) measured.push(...(await oneStart(model.address, start, rounds)));
  } finally {
    await model.stop();
  }
  console.log(`${starts} starts of ${rounds} rounds of ${round.turns} turns each, ${round.concurrent} at once`);
  console.log(`no rules: ${median(measured.map(withoutRules)).toFixed(2)} ms of CPU a turn`);
  for (const name of Object.keys(compared) as Compared[]) {
    const against = name === again ? (one: Round) => one['no rules'] : withoutRules;
    const ratios = measured.map((one) => one[name] / against(one)).toSorted((a, b) => a - b);
    const ms = median(measured.map((one) => one[name])).toFixed(2);
    const [low, high] = aroundMedian(ratios).map(percentMore);
    console.log(`${name}: ${ms} ms, ${percentMore(median(ratios))} (between ${low} and ${high})`);
  }
}

async function oneStart(modelAddress: string, start: number, rounds: number): Promise<readonly Round[]> {
  const platforms = new Map<Name, Platform>();
  const tool = { ...stdioTool(), concurrency: 50 };
  try {
    const names = rotated(['no rules', ...(Object.keys(compared) as Compared[])] as const, start);
    for (const name of names) {
      const rules = name === 'no rules' ? [] : compared[name];
      const more = rules.length === 0 ? {} : { approvals: { rules } };
      platforms.set(name, await startPlatform(modelAddress, [], tool, more));
    }
    for (const platform of platforms.values()) await cpuMsPerTurn(platform, warmUpTurns);
    const measured: Record<Name, number>[] = [];
    for (let count = 1; count <= rounds; count += 1) {
      const ofRound: Partial<Record<Name, number>> = {};
      for (const name of rotated(count % 2 === 0 ? names : names.toReversed(), count))
        ofRound[name] = await cpuMsPerTurn(platforms.get(name) as Platform, round.turns);
      measured.push(ofRound as Record<Name, number>);
      say(`start ${start}, round ${count}: ${names.map((name) => `${name} ${ofRound[name]?.toFixed(2)}`).join(', ')}`);
    }
    return measured;
  } finally {
    for (const platform of platforms.values()) await platform.remove();
  }
}

/** The values between which the median of what was drawn from lies in 95 of 100 cases. */
function aroundMedian(sorted: readonly number[]): readonly [number, number] {
  const reach = 0.98 * Math.sqrt(sorted.length);
  const at = (rank: number) => sorted[Math.min(sorted.length - 1, Math.max(0, rank))] ?? Number.NaN;
  return [at(Math.floor(sorted.length / 2 - reach)), at(Math.ceil(sorted.length / 2 + reach))];
}

const percentMore = (ratio: number): string => `${ratio < 1 ? '' : '+'}${(100 * (ratio - 1)).toFixed(1)} %`;

/** Of the platform's own process. */
async function cpuMsPerTurn({ address, pid }: Platform, turns: number): Promise<number> {
  const { before, after } = await turnsAtOnce(address, { ...round, turns }, () => cpuSeconds(pid));
  return (1_000 * (after - before)) / turns;
}
