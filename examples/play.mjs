// Plays one example from the first process to the last: sets the stage, tells the story, checks the record, clears up.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { print } from './agent.mjs';
import { Untrue } from './holds.mjs';
import { endAll, endForGood } from './processes.mjs';
import { openStage } from './stage.mjs';

/** Plays an example and prints its story. True if everything that the story claims holds. */
export async function play(name) {
  const { title, companion, env, default: story } = await import(`./${name}/story.mjs`);
  console.log(`\n${name}: ${title}\n`);
  const folder = mkdtempSync(join(tmpdir(), `stopgo-${name}-`));
  let stage;
  const playing = async () => {
    stage = await openStage(name, folder, companion, env);
    await stage.start();
    await story(stage);
    await stage.stop();
    print('record', await stage.verify());
    console.log(`\n${name}: everything came out as told`);
    return true;
  };
  let interrupted;
  let leave;
  const leaving = new Promise((resolve) => {
    leave = resolve;
  });
  // A Ctrl-C comes twice under npm, from the terminal and from npm itself: from the first one on we are leaving.
  const interrupt = (signal) => {
    interrupted ??= signal;
    leave(false);
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    return await Promise.race([playing(), leaving]);
  } catch (error) {
    if (interrupted === undefined) report(name, error, stage?.output() ?? '');
    return false;
  } finally {
    await (interrupted === undefined ? endAll() : endForGood());
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    if (interrupted !== undefined) process.exit(interrupted === 'SIGINT' ? 130 : 143);
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

function report(name, error, output) {
  if (error instanceof Untrue) console.error(`\n${name} FAILED: ${error.message}`);
  else console.error(`\n${name} FAILED:`, error, `\nThe platform said:\n${output}`);
}
