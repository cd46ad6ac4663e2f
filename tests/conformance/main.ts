// `npm run conformance-agent`: an agent for the public conformance kit of A2A. Runs until it is told to stop.
import { startOverLibrary } from './over-library.ts';
import { startOverServices } from './over-services.ts';
import { settingsFrom, USAGE } from './settings.ts';

try {
  const settings = settingsFrom(process.argv.slice(2));
  const start = settings.over === 'services' ? startOverServices : startOverLibrary;
  const { address, stop } = await start(settings);
  console.log(`conformance agent over ${settings.over} on ${address}
for the kit of 1.0: --sut-host ${address}/v1.0
for the kit of 0.3: --sut-url ${address}/a2a/v1`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop());
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  process.exitCode = 1;
}
