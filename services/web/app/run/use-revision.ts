import { useEffect, useState } from 'react';
import { go } from '../state/place.ts';
import { type Asked, addressOf } from './address.ts';

/** A slider passes many revisions: the address follows when it rests for so long, in milliseconds. */
const restsMs = 200;

/** The revision that is looked back at: at once on the page, and soon in the address. */
export function useRevision(
  conversation: string,
  asked: Asked,
): readonly [number | undefined, (revision: number | undefined) => void] {
  const [revision, setRevision] = useState(asked.revision);
  // The way back and forward, and links, lead to what the address says.
  useEffect(() => setRevision(asked.revision), [asked.revision]);
  useEffect(() => {
    if (revision === asked.revision) return undefined;
    const next = addressOf(conversation, { view: asked.view, run: asked.run, revision });
    const timer = setTimeout(() => go(next, asked.revision !== undefined && revision !== undefined), restsMs);
    return () => clearTimeout(timer);
  }, [conversation, revision, asked.revision, asked.view, asked.run]);
  return [revision, setRevision];
}
