import { startOfflineModel } from '@stopgo/offline-model';
import { composedModel } from './composed.ts';
import { topology } from './topology.ts';

/** One scripted reaction of the model; its fields stand in offline-model/README.md. */
export type Step = {
  readonly match?: string;
  readonly prompt?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args?: Readonly<Record<string, unknown>> }[];
  readonly thinking?: string;
  readonly delayMs?: number;
  readonly error?: { readonly status: number; readonly message: string; readonly retryAfterSeconds?: number };
  readonly hang?: true;
  readonly quoteRequest?: true;
  readonly garbage?: true;
  readonly reset?: true;
  readonly truncateStream?: true;
  readonly stallStream?: true;
};

/** A request as it arrived at the model. */
export type ModelRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
};

/** Asks the controls of an offline model. */
export type ModelControls = (method: string, path: string, body?: unknown) => Promise<unknown>;

/** The offline model with its controls: in this process, or in the composition the one that all tests share. */
export type ScriptedModel = {
  /** What the platform needs to know to ask it, with keys that tests may look for. */
  readonly env: Readonly<Record<string, string>>;
  script(...steps: readonly Step[]): Promise<void>;
  /** Lets everything go that hangs. */
  release(): Promise<void>;
  requests(): Promise<readonly ModelRequest[]>;
  stop(): Promise<void>;
};

// With characters that look different when they are encoded.
export const geminiKey = 'gemini+key/5d1f0c9be2a7==';
export const anthropicKey = 'anthropic+key/c04e7b61f3d8==';
/** The key of each provider that speaks OpenAI's chat completions and wants one. */
export const openaiKeys = {
  openai: 'openai+key/2f8b30d97ae1==',
  mistral: 'mistral+key/91c4e65d0b7f==',
  groq: 'groq+key/e07a53f18c2d==',
  openrouter: 'openrouter+key/46d9b82c7e0a==',
} as const;

/** Starts the offline model with open controls; in the composition it runs already, as it was started there. */
export async function scriptedModel(options: { readonly strictSignatures?: boolean } = {}): Promise<ScriptedModel> {
  if (topology === 'compose') {
    const control = composedModel();
    await control('DELETE', '/__script');
    return { env: {}, ...scripted(control), stop: async () => undefined };
  }
  const offline = await startOfflineModel({ host: '127.0.0.1', port: 0, control: true, ...options });
  return {
    env: {
      GEMINI_API_KEY: geminiKey,
      GEMINI_BASE_URL: offline.url,
      ANTHROPIC_API_KEY: anthropicKey,
      ANTHROPIC_BASE_URL: offline.url,
      ...openaiEnvironment(offline.url),
    },
    ...scripted(async (method, path, body) => {
      const response = await fetch(offline.url + path, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer: unknown = await response.json();
      if (!response.ok) throw new Error(`the offline model refused ${path}: ${JSON.stringify(answer)}`);
      return answer;
    }),
    stop: () => offline.stop(),
  };
}

/** Each under a path of its own, so that a request shows whose it was meant for. */
function openaiEnvironment(url: string): Record<string, string> {
  const keys = Object.entries(openaiKeys).map(([provider, key]) => [`${provider.toUpperCase()}_API_KEY`, key]);
  const urls = [...Object.keys(openaiKeys), 'ollama'].map((provider) => [
    `${provider.toUpperCase()}_BASE_URL`,
    `${url}/${provider}/v1`,
  ]);
  return Object.fromEntries([...keys, ...urls]);
}

function scripted(control: ModelControls): Pick<ScriptedModel, 'script' | 'release' | 'requests'> {
  return {
    script: async (...steps) => void (await control('POST', '/__script', steps)),
    release: async () => void (await control('POST', '/__release')),
    requests: async () => ((await control('GET', '/__requests')) as { requests: ModelRequest[] }).requests,
  };
}
