// Links that decide: GET shows a page and changes nothing, whoever follows the link; POST decides as the user of the link.
import { timestampMs } from '@bufbuild/protobuf/wkt';
import {
  byteLength,
  DomainError,
  decidedByOf,
  decidedByText,
  decidedWord,
  decisionOfChoice,
  invalidArgument,
  isLinkOver,
  isLinkText,
  linkDigestOf,
  nobodyDecided,
  saidBytesMax,
  type UserPrincipal,
} from '@stopgo/core';
import { type approvals, envelope, facts, views } from '@stopgo/proto';
import type { Request, Response } from 'express';
import { callMarginMs } from '../bounds.ts';
import { type Frame, identify } from '../frame.ts';
import { askingPage, linkPagePolicy, notePage, offeredChoices } from '../render/link-page.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

const path = '/links/:link';

/** True for who follows a link, wherever it stands: in a mail that a page shows, in a chat. */
export const isLinkVisit = ({ method, path: at }: Pick<Request, 'method' | 'path'>): boolean =>
  (method === 'GET' || method === 'HEAD') && at.startsWith('/links/');

/** The page of a link, and its decision. */
export const linkRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'GET', path, isOpen: true, handle: paged(deps, ask) },
  { method: 'POST', path, isOpen: true, handle: paged(deps, decide) },
];

/** What a page says, under its status. */
type Page = { readonly status: number; readonly html: string };

/** A link that may decide now. */
type Open = {
  readonly digest: string;
  readonly user: UserPrincipal;
  readonly approval: views.Approval;
};

const note = (status: number, title: string, text: string): Page => ({ status, html: notePage(title, text) });

const unknown = note(404, 'There is no such link', 'The address is not complete, or the link was never made.');
const spent = note(410, 'This link has been used', 'A link decides once. Nothing was changed now.');
const over = note(410, 'This link has expired', 'Nothing was changed. Sign in to decide.');
const refused = note(
  403,
  'You may not decide this',
  'The user of this link is not active, or may not decide it any more.',
);
const foreign = note(403, 'This did not come from the page', 'Open the link itself and decide there.');
const undecided = note(503, 'It is not known whether this took effect', 'Open the link again in a while to see.');

const paged =
  (
    deps: RouteDependencies,
    handle: (deps: RouteDependencies, open: Open, req: Request, frame: Frame) => Promise<Page>,
  ) =>
  async (...[req, res, frame]: Parameters<Handler>): Promise<void> => {
    const open = await openLink(deps, req, frame);
    sendPage(res, 'html' in open ? open : await handle(deps, open, req, frame));
  };

function sendPage(res: Response, { status, html }: Page): void {
  if (res.headersSent) return;
  // The page may name its own origin and nothing more: with no-referrer browsers send the form from the origin "null".
  res.setHeader('Referrer-Policy', 'strict-origin');
  res.setHeader('Content-Security-Policy', linkPagePolicy);
  res.setHeader('X-Frame-Options', 'DENY');
  res.status(status).type('html').send(html);
}

/** Finds out whether a link may decide, and acts as its user from then on. Who has none that may learns nothing of the approval. */
async function openLink(deps: RouteDependencies, req: Request, frame: Frame): Promise<Open | Page> {
  const text = typeof req.params.link === 'string' ? req.params.link : '';
  if (deps.linkUser === undefined)
    return note(404, 'There are no links here', 'Nobody signs in on this platform, so a link would decide as nobody.');
  if (!isLinkText(text)) return unknown;
  const digest = linkDigestOf(text);
  const link = await found(deps.clients.approvals.lookUpLink({ digest }, { context: frame.context }));
  if (link === undefined) return unknown;
  if (link.spentAt !== undefined) return spent;
  if (isLinkOver(link, deps.wallClock())) return over;
  const user = await deps.linkUser(link.userId);
  if (user?.kind !== 'user') return refused;
  identify(frame, { principal: user });
  const { approvalId } = link;
  try {
    await permit(deps, frame, 'approval.resolve', { kind: 'approval', id: approvalId });
  } catch (error) {
    if (isOfKind(error, 'permission_denied') || isOfKind(error, 'not_found')) return refused;
    throw error;
  }
  const { approval } = await deps.clients.store.getApproval({ approvalId }, { context: frame.context });
  if (approval === undefined) return unknown;
  frame.conversationId = approval.conversationId;
  return approval.status === views.ApprovalStatus.PENDING ? { digest, user, approval } : settled(approval);
}

async function ask(_deps: RouteDependencies, { approval, user }: Open): Promise<Page> {
  return { status: 200, html: askingPage(approval, user.email, saidBytesMax) };
}

async function decide(
  deps: RouteDependencies,
  { digest, approval, user }: Open,
  req: Request,
  frame: Frame,
): Promise<Page> {
  // The page itself is the only one that sends this; of what browsers tell more strictly than for other requests.
  if (!['same-origin', undefined].includes(req.get('sec-fetch-site')?.toLowerCase())) return foreign;
  const { word, said } = formIn(req);
  const kind = offeredChoices(approval).includes(word) ? decisionOfChoice(word) : undefined;
  if (kind === undefined) return note(400, 'That is no decision', 'Open the link again and choose one of the buttons.');
  const actor = {
    ...{ kind: envelope.ActorKind.APPROVER, id: user.email, surface: 'link', address: frame.address },
    principal: `user:${user.id}`,
  };
  try {
    await deps.clients.approvals.resolve(
      { approvalId: approval.id, kind, said, actor, link: digest },
      { context: frame.context, timeoutMs: callMarginMs },
    );
  } catch (error) {
    return refusalPage(deps, error, approval.id, frame);
  }
  return note(200, 'Thank you', `Your decision is recorded: ${word.replace('_', ' ')}. This link is used now.`);
}

async function refusalPage(deps: RouteDependencies, error: unknown, approvalId: string, frame: Frame): Promise<Page> {
  if (!(error instanceof DomainError)) throw error;
  if (error.kind === 'unavailable' || error.kind === 'deadline_exceeded') return undecided;
  switch (error.details.reason) {
    case 'link_spent':
      return spent;
    case 'link_expired':
      return over;
    case 'expired':
      return note(410, 'Its time is over', 'This can be decided no more.');
    case 'voted':
      return note(409, 'You have said yes already', 'It needs somebody else now. Nothing was changed.');
    case 'settled': {
      const { approval } = await deps.clients.store.getApproval({ approvalId }, { context: frame.context });
      return approval === undefined ? unknown : settled(approval);
    }
  }
  if (error.kind === 'permission_denied' || error.kind === 'not_found') return refused;
  throw error;
}

function settled(approval: views.Approval): Page {
  const by = decidedByOf(approval);
  const who = by === undefined ? '' : ` by ${decidedByText(by)}`;
  const at = approval.decidedAt === undefined ? '' : ` at ${new Date(timestampMs(approval.decidedAt)).toISOString()}`;
  if (approval.decision === facts.Decision.EXPIRED)
    return note(409, 'It has expired', `It expired${at}: ${nobodyDecided}. Nothing was changed now.`);
  const text = `It is settled: ${decidedWord(approval.decision)}${who}${at}. Nothing was changed now.`;
  return note(409, 'This is decided already', text);
}

/** What the form says. @throws DomainError `invalid_argument` for what is no form, or too long. */
function formIn(req: Request): { readonly word: string; readonly said: string } {
  const bytes: unknown = req.body;
  const form = new URLSearchParams(Buffer.isBuffer(bytes) ? bytes.toString('utf8') : '');
  const said = (form.get('reason') ?? '').trim();
  if (said.includes('\0')) throw invalidArgument('the reason holds a NUL character; leave it out');
  if (byteLength(said) > saidBytesMax) throw invalidArgument(`the reason is longer than ${saidBytesMax} bytes`);
  return { word: form.get('decision') ?? '', said };
}

const isOfKind = (error: unknown, kind: DomainError['kind']): boolean =>
  error instanceof DomainError && error.kind === kind;

async function found(call: Promise<approvals.LookUpLinkResponse>): Promise<approvals.LookUpLinkResponse | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isOfKind(error, 'not_found')) return undefined;
    throw error;
  }
}
