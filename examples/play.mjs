// Plays one example from the first process to the last: sets the stage, tells the story, checks the record, clears up.
import { createAgent, print } from './agent.mjs';
import { Untrue } from './holds.mjs';
import { openStage } from './stage.mjs';

/** Plays an example and prints its story. True if everything that the story claims holds. */
export async function play(name) {
  const { title, default: story } = await import(`./${name}/story.mjs`);
  console.log(`\n${name}: ${title}\n`);
  const stage = await openStage(name);
  const interrupted = (signal) => {
    stage.abandon();
    process.exit(signal === 'SIGINT' ? 130 : 143);
  };
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    await stage.start();
    await story({ agent: createAgent(stage.url), ...stage });
    await stage.stop();
    print('record', await stage.verify());
    console.log(`\n${name}: everything came out as told`);
    return true;
  } catch (error) {
    if (error instanceof Untrue) console.error(`\n${name} FAILED: ${error.message}`);
    else console.error(`\n${name} FAILED:`, error, `\nThe platform said:\n${stage.output()}`);
    return false;
  } finally {
    stage.abandon();
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
  }
}
