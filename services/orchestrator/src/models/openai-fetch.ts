import { type BoundedFetch, beginningOf } from '../bounded-fetch.ts';
import { isObject, parseObject } from './json.ts';

/** The most that is read of an error, in bytes. */
const errorBytesMax = 64 * 1024;

/**
 * A `fetch` for the OpenAI SDK that sends these headers and nothing else: the SDK would add to them from variables of the
 * environment that are none of ours. The body of an error becomes one of OpenAI's form, whatever form the provider has:
 * of another the SDK would keep only the status.
 */
export function createOpenaiFetch(fetch: BoundedFetch, headers: Readonly<Record<string, string>>): BoundedFetch {
  return async (url, init) => {
    const response = await fetch(url, { ...init, headers: { ...headers } });
    if (response.ok) return response;
    const message = messageOf(await beginningOf(response, errorBytesMax));
    const { status, headers: answered } = response;
    return new Response(JSON.stringify({ error: { message } }), { status, headers: answered });
  };
}

/**
 * What an error says: OpenAI and most others `{error: {message}}`, OpenRouter with the words of the provider behind it
 * in `metadata.raw`, Ollama also `{error: text}`, Mistral `{message}` or `{detail}`, a proxy plain text.
 */
export function messageOf(body: string): string {
  const parsed = parseObject(body);
  if (!parsed) return body;
  return describe(parsed.error) ?? describe(parsed) ?? body;
}

function describe(error: unknown): string | undefined {
  if (typeof error === 'string') return error;
  if (!isObject(error)) return undefined;
  const { message, detail, metadata } = error;
  const said = message ?? detail;
  if (said === undefined || said === null) return undefined;
  const text = typeof said === 'string' ? said : JSON.stringify(said);
  const raw = isObject(metadata) && typeof metadata.raw === 'string' ? metadata.raw : '';
  return raw === '' ? text : `${text}: ${messageOf(raw)}`;
}
