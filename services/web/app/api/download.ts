import { ApiError, NotReached, onSignInWanted, signedIn, whyIn } from './client.ts';
import { mayGoOn } from './login.ts';

/** A file that the platform gave, whole. */
export type Downloaded = { readonly name: string; readonly content: Blob };

/**
 * Reads a file from the platform; `onBytes` is told how much of it is here, while it comes.
 *
 * @throws ApiError, NotReached, also for a file that breaks off, or the reason of the signal.
 */
export async function download(
  path: string,
  onBytes: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Downloaded> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  try {
    const read = () => fetch(`/api${path}`, { headers: signedIn(), signal, cache: 'no-store' });
    let response = await read();
    let refused = await refusalIn(response);
    // Whoever is signed in for a while is signed in anew, and asks once more.
    if (response.status === 401 && (await mayGoOn(refused))) {
      response = await read();
      refused = await refusalIn(response);
    }
    if (response.status === 401) for (const tell of onSignInWanted) tell(whyIn(refused));
    if (response.status === 502) throw new NotReached();
    if (refused !== undefined) throw new ApiError(response.status, refused);
    const reader = response.body?.getReader();
    for (;;) {
      const piece = await reader?.read();
      if (piece === undefined || piece.done) break;
      parts.push(piece.value);
      bytes += piece.value.byteLength;
      onBytes(bytes);
    }
    const type = response.headers.get('content-type') ?? 'application/octet-stream';
    return { name: nameIn(response.headers.get('content-disposition')), content: new Blob(parts, { type }) };
  } catch (error) {
    if (signal.aborted || error instanceof ApiError) throw error;
    throw new NotReached();
  }
}

/** What is said instead of the file; undefined if it comes. */
const refusalIn = async (response: Response): Promise<Readonly<Record<string, unknown>> | undefined> =>
  response.ok ? undefined : ((await response.json()) as Readonly<Record<string, unknown>>);

/** The name that the platform has for the file. */
const nameIn = (disposition: string | null): string =>
  /filename="([\w.-]+)"/.exec(disposition ?? '')?.[1] ?? 'download';

/** Gives a file to the browser, which keeps it where downloads go. */
export function keep({ name, content }: Downloaded): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(address), keptMs);
}

const keptMs = 60_000;
