import { parseJson } from '@stopgo/core';
import type { BlobHolder } from '../../blob-store.ts';

/** Bytes that are being handed in: under an id of their own, for a call. */
export type Upload = { readonly id: string; readonly holder: BlobHolder };

/**
 * What is known of a blob: one message, which changes only if it is still as it was read. Whatever is written of a blob, or removed, is
 * on its head before.
 */
export type BlobHead = {
  /** The upload that the bytes are read from, with their size and number of pieces; absent: none is whole. */
  readonly stored?: { readonly id: string; readonly size: number; readonly pieces: number };
  readonly holders: readonly BlobHolder[];
  readonly uploads: readonly Upload[];
  /** Uploads that nobody needs. `at`: since when, in milliseconds since 1970. */
  readonly dropped: readonly { readonly id: string; readonly at: number }[];
};

/** Of a blob that nobody has handed in. */
export const noHead: BlobHead = { holders: [], uploads: [], dropped: [] };

export const encodeHead = (head: BlobHead): Uint8Array => Buffer.from(JSON.stringify(head), 'utf8');

export function decodeHead(bytes: Uint8Array): BlobHead {
  return { ...noHead, ...(parseJson(Buffer.from(bytes).toString('utf8')) as Partial<BlobHead> | undefined) };
}

const isSame = (one: BlobHolder, other: BlobHolder): boolean =>
  one.conversationId === other.conversationId && one.runId === other.runId && one.callId === other.callId;

/** The calls that a blob is held for, those that hand it in among them. */
export function holdersOf({ holders, uploads }: BlobHead): BlobHolder[] {
  const handing = uploads.map(({ holder }) => holder);
  return [...holders, ...handing.filter((one) => !holders.some((other) => isSame(one, other)))];
}

/** Somebody hands the bytes in; where they are whole already, they are held for one more call. */
export function begun(head: BlobHead, upload: Upload): BlobHead {
  if (head.stored !== undefined) return heldFor(head, upload.holder);
  return head.uploads.some(({ id }) => id === upload.id) ? head : { ...head, uploads: [...head.uploads, upload] };
}

/** All pieces are there. Undefined if the upload was given up meanwhile. Of two uploads the first counts. The same again changes nothing. */
export function ended(head: BlobHead, upload: Upload, size: number, pieces: number, at: number): BlobHead | undefined {
  const { id, holder } = upload;
  if (head.stored?.id === id) return head;
  if (!head.uploads.some((one) => one.id === id)) {
    // The second of two, written before: whose answer was lost asks again.
    const isHeld = head.stored !== undefined && head.holders.some((one) => isSame(one, holder));
    return isHeld ? head : undefined;
  }
  const rest = { ...heldFor(head, holder), uploads: head.uploads.filter((one) => one.id !== id) };
  if (head.stored === undefined) return { ...rest, stored: { id, size, pieces } };
  return { ...rest, dropped: [...head.dropped, { id, at }] };
}

/** Some calls hold it no more, and with the last of them it goes, unless it is named. */
export function released(head: BlobHead, over: readonly BlobHolder[], isNamed: boolean, at: number): BlobHead {
  const isOver = (holder: BlobHolder) => over.some((one) => isSame(one, holder));
  const holders = head.holders.filter((holder) => !isOver(holder));
  const uploads = head.uploads.filter(({ holder }) => !isOver(holder));
  const givenUp = head.uploads.filter(({ holder }) => isOver(holder)).map(({ id }) => ({ id, at }));
  const next = { ...head, holders, uploads, dropped: [...head.dropped, ...givenUp] };
  if (isNamed || next.stored === undefined || holders.length > 0 || uploads.length > 0) return next;
  const { stored, ...rest } = next;
  return { ...rest, dropped: [...rest.dropped, { id: stored.id, at }] };
}

function heldFor(head: BlobHead, holder: BlobHolder): BlobHead {
  return head.holders.some((one) => isSame(one, holder)) ? head : { ...head, holders: [...head.holders, holder] };
}
