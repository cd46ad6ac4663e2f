import { conclude, type Findings } from './findings.ts';
import { mixedStories } from './stories.ts';
import { newNotes } from './sweep.ts';
import { Teller } from './teller.ts';
import { World, type WorldOptions } from './world.ts';

/** Stories told at the same time. */
const tellersMax = 8;
/**
 * Longest life after the platform is ready, in milliseconds; longer where its start takes longer: on a slow machine it would never
 * come to anything.
 */
const lifeMsMax = 800;
/** Share of the deaths that come while the platform starts, and longest life then, in milliseconds. */
const earlyShare = 0.15;
const earlyMsMax = 900;
/** Deaths between two lines of progress. */
const progressKills = 20;

/**
 * Kills the platform at random moments while several stories are told again and again, then lets all of them come to
 * their end. The seed decides the moments and the stories; how far the platform has come by then is up to the machine.
 */
export async function randomMoments(
  options: WorldOptions,
  seed: number,
  kills: number,
  say: (line: string) => void,
): Promise<Findings> {
  const random = generator(seed);
  const world = await World.open(options);
  const notes = newNotes();
  let isOver = false;
  let told = 0;
  const tell = async (): Promise<void> => {
    while (!isOver) {
      const story = mixedStories[Math.floor(random() * mixedStories.length)];
      if (story === undefined) throw new Error('there is no story');
      told += 1;
      const teller = new Teller(world, `${story.name}-r${told}-`, notes);
      await story.tell(teller).catch((error: unknown) => teller.wrong(String(error)));
    }
  };
  const tellers = Array.from({ length: tellersMax }, tell);
  let longestMs = lifeMsMax;
  for (let kill = 1; kill <= kills; kill += 1) {
    const isEarly = random() < earlyShare;
    const share = random();
    const { life } = world;
    const began = performance.now();
    if (!isEarly) {
      await world.ready();
      longestMs = Math.max(lifeMsMax, performance.now() - began);
    }
    const moment = share * (isEarly ? earlyMsMax : longestMs);
    await new Promise((resolve) => setTimeout(resolve, moment));
    world.kill();
    while (world.life === life) await new Promise((resolve) => setTimeout(resolve, 1));
    if (kill % progressKills === 0) say(`  ${kill} of ${kills} random moments, ${told} conversations begun`);
  }
  isOver = true;
  await Promise.all(tellers);
  return conclude(world, notes);
}

/** Numbers from 0 up to 1 that depend on the seed alone (mulberry32). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
