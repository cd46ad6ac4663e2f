import { createHash } from 'node:crypto';
import { visibleJson } from '@stopgo/core';
import type { Request, Response } from 'express';
import { cardMaxAgeS } from '../bounds.ts';
import { cardOf, compatibleCardOf } from '../card.ts';
import type { A2ARoute, HttpAgent } from './http-agent.ts';

/** Where agents of each age look for the card; the last is for readers of 1.0 that do not say so. */
export function cardRoutes<Frame>(agent: HttpAgent<Frame>): readonly A2ARoute<Frame>[] {
  const shown = new LastShown();
  const card = (version?: string) => async (req: Request, res: Response, frame: Frame) => {
    const profile = await agent.profileOf(req, frame);
    const modern = (version ?? req.get('a2a-version')) === '1.0';
    res.vary('A2A-Version');
    sendCard(req, res, visibleJson(JSON.stringify(modern ? cardOf(profile) : compatibleCardOf(profile))), shown);
  };
  return [
    { method: 'GET', path: '/.well-known/agent-card.json', handle: card() },
    { method: 'GET', path: '/.well-known/agent.json', handle: card() },
    { method: 'GET', path: '/v1.0/.well-known/agent-card.json', handle: card('1.0') },
  ];
}

function sendCard(req: Request, res: Response, text: string, shown: LastShown): void {
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Cache-Control', `max-age=${cardMaxAgeS}`);
  res.setHeader('ETag', etag);
  res.setHeader('Last-Modified', shown.since(etag, new Date()).toUTCString());
  res.status(req.fresh ? 304 : 200).end(req.fresh ? undefined : text);
}

/** Since when the cards are what they are, as far as this process can tell. */
class LastShown {
  /** A card for each version and address that it was asked for at; an asker chooses the address, so few are kept. */
  readonly #since = new Map<string, Date>();

  since(etag: string, now: Date): Date {
    const known = this.#since.get(etag);
    if (known !== undefined) return known;
    if (this.#since.size >= cardsRememberedMax) this.#since.clear();
    this.#since.set(etag, now);
    return now;
  }
}

const cardsRememberedMax = 16;
