// The bundled offline model, in the place of every provider.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from '../scripts/processes.mjs';
import { Untrue } from './holds.mjs';
import { launch } from './processes.mjs';

const program = join(root, 'offline-model', 'dist', 'main.js');
/** How often it is asked what it has heard, in milliseconds, and how often at most. */
const LOOK_EVERY_MS = 20;
const LOOKS_MAX = 1_000;

/** Starts it. `env` is what the platform needs to know to ask it. */
export async function offlineModel() {
  const args = [program, '--port', '0', '--control', '--exit-with-stdin'];
  const running = await launch(args, { cwd: root, ready: /listening on (http:\S+)/ });
  const control = async (method, path, body) => {
    const response = await fetch(running.url + path, { method, ...(body ? { body: JSON.stringify(body) } : {}) });
    if (!response.ok) throw new Error(`the offline model refused ${path}: ${await response.text()}`);
    return await response.json();
  };
  /** Which providers were asked, one entry for each request, in the order in which they came. */
  const asked = async () => (await control('GET', '/__requests')).requests.map(({ url }) => providerOf(url));
  return {
    asked,
    env: {
      GEMINI_API_KEY: 'none-needed',
      GEMINI_BASE_URL: running.url,
      ANTHROPIC_API_KEY: 'none-needed',
      ANTHROPIC_BASE_URL: running.url,
      OPENAI_API_KEY: 'none-needed',
      OPENAI_BASE_URL: `${running.url}/v1`,
    },
    /** What is answered to the next requests, instead of what the rules say. */
    script: (...steps) => control('POST', '/__script', steps),
    /** Keeps the answers to the next requests back. */
    holdBack: (count) =>
      control(
        'POST',
        '/__script',
        Array.from({ length: count }, () => ({ hang: true })),
      ),
    /** Waits until that many requests have come, all in all. */
    heard: async (count) => {
      for (let looks = 0; (await asked()).length < count; looks += 1) {
        if (looks === LOOKS_MAX)
          throw new Untrue(`the model was asked ${count} times (only ${(await asked()).length} times)`);
        await pause(LOOK_EVERY_MS);
      }
    },
    /** Gives the answers that were kept back. */
    letGo: () => control('POST', '/__release'),
  };
}

function providerOf(url) {
  if (url.endsWith('/chat/completions')) return 'OpenAI';
  return url.startsWith('/v1/messages') ? 'Claude' : 'Gemini';
}
