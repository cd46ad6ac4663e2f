// Cuts the power of the disk under real processes that acknowledge appends, and looks for each of them afterwards.
// Exit code 1 if a shipped configuration lost something, or an unsafe one did not.
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNatsServer } from '@stopgo/cli';
import { startOfflineModel } from '@stopgo/offline-model';
import { messageOf } from '@stopgo/runtime';
import { flagsOf, readFlags, wholeNumber } from '../../scripts/flags.mjs';
import { circumstances } from './cut-while-writing.ts';
import { embeddedPlatform, embeddedStore } from './embedded.ts';
import { expectHonest } from './honest-rack.ts';
import { jetStreamServices, jetStreamStore } from './jetstream.ts';
import { Rack } from './rack.ts';
import { playRound, type Round } from './round.ts';
import type { Bench, Setting } from './setting.ts';
import { table } from './table.ts';
import { Undo } from './undo.ts';

/** Rounds of each safe setting; half of them, rounded up, if it takes long to start. */
const roundsDefault = 3;
/** Rounds of each unsafe setting: so many, and then until one has lost something, but not more than the latter. */
const unsafeRounds = 2;
const unsafeRoundsMax = 8;
const millisecondsPerSecond = 1_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const usage = `usage: npm run test:power-cut -- [--seed N] [--rounds N] [--only TEXT]
TEXT: plays the settings whose line in the table holds it`;
const values = flagsOf(usage, { seed: { type: 'string' }, rounds: { type: 'string' }, only: { type: 'string' } });
const { firstSeed, rounds } = readFlags(usage, () => ({
  firstSeed: wholeNumber('seed', values.seed) ?? Math.floor(Math.random() * 10 ** 9),
  rounds: wholeNumber('rounds', values.rounds) ?? roundsDefault,
}));
const only = (values.only ?? '').toLowerCase();

const undo = new Undo();
const folder = mkdtempSync(join(tmpdir(), 'stopgo-power-cut-'));
undo.add(() => rmSync(folder, { recursive: true, force: true }));
process.on('exit', () => {
  for (const failure of undo.all()) process.stderr.write(`not cleaned up: ${failure}\n`);
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => process.exit(128 + constants.signals[signal]));

let nextSeed = firstSeed;
const violations: string[] = [];
const rack = rackOrReason();
if (rack instanceof Rack) await everything(rack);
else say(`skip  power cut: ${rack}`);
const skippedCode = process.env.CI === 'true' ? 1 : Number(process.env.STOPGO_SKIPPED_CODE ?? 0);
process.exitCode = violations.length > 0 ? 1 : rack instanceof Rack ? 0 : skippedCode;

/** A rack, or why there can be none here. */
function rackOrReason(): Rack | string {
  if (process.platform !== 'linux') return 'it needs Linux';
  if (process.getuid?.() !== 0) return 'it needs root, to mount an image';
  try {
    return new Rack(folder, undo);
  } catch (error) {
    return `an image cannot be mounted here: ${messageOf(error).replaceAll(/\s+/g, ' ')}`;
  }
}

async function everything(rack: Rack): Promise<void> {
  const model = await startOfflineModel({ host: '127.0.0.1', port: 0, control: false });
  try {
    expectHonest(rack);
    say(`power cuts with --seed ${firstSeed}`);
    const lines: (string | number)[][] = [
      ['log', 'setting', 'rounds', 'acknowledged', 'lost', 'views behind', 'views torn'],
    ];
    const bench = { rack, folder, modelUrl: model.url, undo };
    try {
      for (const setting of settings(bench)) lines.push(await playSetting(setting, bench));
    } catch (error) {
      // What one round has left behind would disturb the next one.
      violated(`the rounds end here: ${messageOf(error)}`);
    }
    if (lines.length > 1) for (const line of ['', ...table(lines), '']) say(line);
    if (violations.length > 0) say(`${violations.length} VIOLATIONS`);
    else if (lines.length > 1) say('every promise was kept');
  } finally {
    await model.stop();
  }
}

/** The settings to play, without those that cannot be played here. */
function settings(bench: Bench): Setting[] {
  const natsServer = natsServerOrReason();
  const { program = '' } = natsServer;
  const all = [
    embeddedPlatform(bench),
    embeddedPlatform(bench, 'NORMAL'),
    embeddedStore(bench),
    embeddedStore(bench, 'NORMAL'),
    embeddedStore(bench, 'OFF'),
    jetStreamServices(bench, program),
    jetStreamStore(bench, program, 'shipped'),
    jetStreamStore(bench, program, 'default'),
  ];
  const chosen = all.filter((setting) => `${setting.log} ${setting.name}`.toLowerCase().includes(only));
  if (chosen.length === 0) throw new Error(`--only ${only}: no setting has that in its line`);
  const playable = chosen.filter(({ log }) => log !== 'JetStream' || natsServer.program !== undefined);
  if (playable.length < chosen.length) {
    const what = `power cut of JetStream: ${natsServer.reason}`;
    if (process.env.CI === 'true') violated(what);
    else say(`skip  ${what}`);
  }
  return playable;
}

function natsServerOrReason(): { readonly program?: string; readonly reason?: string } {
  try {
    return { program: findNatsServer(process.env) };
  } catch (error) {
    return { reason: messageOf(error) };
  }
}

/** Plays the rounds of one setting, says what came of each, and gives the setting's line of the table. */
async function playSetting(setting: Setting, bench: Bench): Promise<(string | number)[]> {
  const played: Round[] = [];
  const name = `${setting.log}, ${setting.name}`;
  const lossy = (): boolean => played.some(({ lost }) => lost > 0);
  const safeRounds = setting.isSlow === true ? Math.ceil(rounds / 2) : rounds;
  const isOver = (): boolean =>
    setting.isSafe
      ? played.length >= safeRounds
      : played.length >= unsafeRoundsMax || (played.length >= unsafeRounds && lossy());
  while (!isOver()) {
    const seed = nextSeed++;
    const circumstance = (setting.isSafe ? circumstances[played.length % circumstances.length] : undefined) ?? 'quiet';
    const from = performance.now();
    const round = await playRound(setting, { seed, circumstance }, bench);
    played.push(round);
    const seconds = ((performance.now() - from) / millisecondsPerSecond).toFixed(1);
    say(
      `${name}: ${round.acknowledged} acknowledged, power cut after ${round.lifeMs} ms (${circumstance}), ${round.lost} lost, ` +
        `views ${round.views}; seed ${seed}, ${seconds} s`,
    );
    for (const problem of setting.isSafe ? round.violations : []) violated(`seed ${seed}: ${problem}`);
  }
  if (!setting.isSafe && !lossy()) violated(`${name}: an unsafe setting lost nothing in ${played.length} rounds`);
  const viewsWere = (state: Round['views']): number => played.filter(({ views }) => views === state).length;
  const sum = (count: (round: Round) => number): number => played.reduce((total, round) => total + count(round), 0);
  return [
    setting.log,
    setting.name,
    played.length,
    sum((one) => one.acknowledged),
    sum((one) => one.lost),
    viewsWere('behind'),
    viewsWere('torn'),
  ];
}

function violated(what: string): void {
  violations.push(what);
  say(`  VIOLATION ${what}`);
}
