import { DomainError, dataLoss, isBlobDigest, notFound, visibleText } from '@stopgo/core';
import type { facts } from '@stopgo/proto';
import type { Request, Response } from 'express';
import { echoCharactersMax } from '../bounds.ts';
import { drained } from '../drained.ts';
import type { Frame } from '../frame.ts';
import { conversationIdOf } from '../path-ids.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

/** Reading what results hold beside text. */
export const blobRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'GET', path: '/conversations/:id/blobs/:digest', handle: get(deps) },
];

/** Types that a browser shows as a picture and as nothing else. The bridge looked at the bytes before it named them so. */
const shownInPlace: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const anyBytes = 'application/octet-stream';
/** The bytes of a digest never change. Only the reader's own cache may keep them. */
const forOneYear = 'private, max-age=31536000, immutable';

const get =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const id = conversationIdOf(req);
    frame.conversationId = id;
    const digest = digestOf(req);
    await permit(deps, frame, 'conversation.read', { kind: 'conversation', id });
    const left = new AbortController();
    res.once('close', () => left.abort(new Error('the client has left')));
    try {
      await send(deps, { id, digest, signal: left.signal }, req, res, frame);
    } catch (error) {
      if (left.signal.aborted) return;
      throw error instanceof DomainError && error.kind === 'not_found' && !res.headersSent ? noSuchBlob(digest) : error;
    }
  };

type Wanted = { readonly id: string; readonly digest: string; readonly signal: AbortSignal };

/**
 * Sends the bytes as they come from the store, no faster than the client reads. What describes them is said with the first of them: an
 * error in their place must not be kept as if it were the blob. Throws where others come than were announced.
 */
async function send(
  { clients, readerStallMs }: RouteDependencies,
  { id: conversationId, digest, signal }: Wanted,
  req: Request,
  res: Response,
  { context }: Frame,
): Promise<void> {
  let blob: facts.BlobRef | undefined;
  let sent = 0;
  for await (const piece of clients.store.getBlob({ conversationId, digest }, { context, signal })) {
    blob ??= piece.blob;
    if (blob === undefined) continue;
    if (sent === 0) {
      // A stop answers for a handler that is late.
      if (res.headersSent) return;
      const hasBody = !isKnown(req, digest) && req.method !== 'HEAD';
      if (hasBody && piece.bytes.byteLength === 0) continue;
      describe(res, blob);
      if (isKnown(req, digest)) res.status(304);
      else res.setHeader('Content-Length', Number(blob.size));
      if (!hasBody) {
        res.end();
        return;
      }
    }
    sent += piece.bytes.byteLength;
    if (sent > blob.size) break;
    if (!res.write(piece.bytes)) await drained(res, readerStallMs);
    if (res.destroyed) return;
  }
  if (blob === undefined) throw dataLoss(`blob ${digest}: nothing came from the store; run \`stopgo verify\``);
  const size = Number(blob.size);
  if (sent !== size)
    throw dataLoss(`blob ${digest}: ${sent} bytes came from the store, not ${size}; run \`stopgo verify\``);
  if (sent === 0 && !res.headersSent) {
    describe(res, blob);
    res.setHeader('Content-Length', 0);
  }
  if (!res.writableEnded) res.end();
}

/** A tool server chose these bytes: a browser must not run anything in them. */
function describe(res: Response, { digest, mediaType }: facts.BlobRef): void {
  const type = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(mediaType) ? mediaType : anyBytes;
  res.setHeader('Content-Type', type);
  res.setHeader('Content-Disposition', shownInPlace.has(type) ? 'inline' : `attachment; filename="${digest}"`);
  res.setHeader('Content-Security-Policy', "default-src 'none'; sandbox; frame-ancestors 'none'");
  res.setHeader('Cache-Control', forOneYear);
  res.setHeader('ETag', `"${digest}"`);
}

function isKnown(req: Request, digest: string): boolean {
  const known = (req.headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes('*') || known.includes(`"${digest}"`);
}

function digestOf(req: Request): string {
  const { digest } = req.params;
  const given = typeof digest === 'string' ? digest : '';
  if (!isBlobDigest(given)) throw noSuchBlob(given.slice(0, echoCharactersMax));
  return given;
}

const noSuchBlob = (digest: string): DomainError =>
  notFound(`no event of the conversation names this blob: ${visibleText(digest)}`);
