import { ApiError, NotReached } from '@stopgo/client';
import { platform } from './platform.ts';

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
    const { headers, body } = await platform.connection.read(path, { signal });
    const reader = body?.getReader();
    for (;;) {
      const piece = await reader?.read();
      if (piece === undefined || piece.done) break;
      parts.push(piece.value);
      bytes += piece.value.byteLength;
      onBytes(bytes);
    }
    const type = headers.get('content-type') ?? 'application/octet-stream';
    return { name: nameIn(headers.get('content-disposition')), content: new Blob(parts, { type }) };
  } catch (error) {
    if (signal.aborted || error instanceof ApiError) throw error;
    throw new NotReached(error);
  }
}

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
