import { afterAll, beforeAll } from 'vitest';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, type StartOptions, start, type Workplace, workplace } from './platform.ts';
import { topology } from './topology.ts';

/** A platform that the tests of a file have together, with its model and its data. */
export type Replicated = {
  readonly model: ScriptedModel;
  readonly place: Workplace;
  /** The one that runs, or ran last. */
  readonly platform: Platform;
  /** Starts it again, on the same data. */
  startAnew(): Promise<void>;
};

const args = topology === 'services' ? ['--replicas', 'gateway=2,orchestrator=2,store=2'] : [];

/**
 * Starts a platform before the tests of this file, with two of each service where they are processes of their own, and ends it
 * after them. What it gives is to be read in tests and hooks only.
 */
export function replicated(
  configOf: (place: Workplace) => string,
  longMs: number,
  how: Pick<StartOptions, 'asProcess'> = {},
): Replicated {
  let model: ScriptedModel;
  let place: Workplace;
  let platform: Platform;
  const startAnew = async () => {
    platform = await start(place, configOf(place), { env: model.env, args, ...how });
  };
  beforeAll(async () => {
    model = await scriptedModel();
    place = workplace();
    await startAnew();
  }, longMs);
  afterAll(async () => {
    await platform?.discard();
    await model.stop();
    place.remove();
  }, longMs);
  return {
    get model() {
      return model;
    },
    get place() {
      return place;
    },
    get platform() {
      return platform;
    },
    startAnew,
  };
}
