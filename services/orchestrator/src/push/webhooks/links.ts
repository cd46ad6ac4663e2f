// Links that go with a notice. The text of one is made of the notice with a secret key, so that each time it is told the link is the same.
import { createHmac, hkdfSync } from 'node:crypto';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { DomainError, type ErrorKind, linkDigestOf, linkText, userIdOf } from '@stopgo/core';
import type { approvals } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';

/** The one purpose of the key that texts are made with. */
const purpose = 'stopgo link of a notice';
const keyBytes = 32;

/** How long the approvals service may take to put a link on the record, in milliseconds. */
const makeLinkMsMax = 5_000;

/** How long it is not said again of a webhook that it has no link, in milliseconds. */
const warnEveryMs = 60 * 60_000;

/** With what links are made; absent where no webhook has any. */
export type LinkParts = {
  readonly approvals: Pick<Client<typeof approvals.ApprovalsService>, 'makeLink'>;
  /** A secret key, the same for all orchestrators. Whoever has it and a notice has the text of its link. */
  readonly key: Uint8Array;
};

/** A link as a notice shows it. */
export type NoticeLink = { readonly url: string; readonly user: string; readonly expiresAt: Date };

/**
 * What came of making one. `none`: there is nobody to make it for, or nothing to decide any more, or it is refused for good. `unavailable`: nobody
 * knows, and a further attempt may make it.
 */
export type MadeLink =
  | { readonly kind: 'made'; readonly link: NoticeLink }
  | { readonly kind: 'none'; readonly reason: string; readonly isSettled: boolean }
  | { readonly kind: 'unavailable' };

/** What a link is for. `notice`: the id of the notice. */
export type LinkWanted = { readonly notice: string; readonly approvalId: string; readonly email: string };

/** Makes links, each on the record by its digest alone before anybody is told its text. */
export class Links {
  readonly #parts: LinkParts;
  readonly #key: Uint8Array;
  readonly #publicUrl: string;
  readonly #now: () => number;
  /** When it was said last of a webhook that it has no link. */
  readonly #warned = new Map<string, number>();

  /** `publicUrl`: where people reach the platform, without a slash at the end. `now`: in milliseconds, and never back. */
  constructor(parts: LinkParts, publicUrl: string, now: () => number) {
    this.#parts = parts;
    this.#now = now;
    this.#key = new Uint8Array(hkdfSync('sha256', parts.key, '', purpose, keyBytes));
    this.#publicUrl = publicUrl;
  }

  /** Whether to say now that a webhook has no link: once in a while only. */
  mayWarn(webhook: string): boolean {
    const now = this.#now();
    if (now - (this.#warned.get(webhook) ?? Number.NEGATIVE_INFINITY) < warnEveryMs) return false;
    this.#warned.set(webhook, now);
    return true;
  }

  /** Makes the link of a notice, the same one each time. Rejects only when the signal aborts. */
  async make({ notice, approvalId, email }: LinkWanted, signal: AbortSignal): Promise<MadeLink> {
    const userId = userIdOf(email);
    const text = linkText(
      createHmac('sha256', this.#key)
        .update(JSON.stringify([notice, userId]))
        .digest(),
    );
    const request = { approvalId, userId, digest: linkDigestOf(text) };
    try {
      const { expiresAt } = await this.#parts.approvals.makeLink(request, { signal, timeoutMs: makeLinkMsMax });
      if (expiresAt === undefined) return { kind: 'unavailable' };
      const url = `${this.#publicUrl}/links/${text}`;
      return { kind: 'made', link: { url, user: email, expiresAt: timestampDate(expiresAt) } };
    } catch (error) {
      signal.throwIfAborted();
      return noLink(error);
    }
  }
}

/** Refusals that stay the same however often it is asked: between these two services something is not set up as it should be. */
const lasting: ReadonlySet<ErrorKind> = new Set([
  'invalid_argument',
  'not_found',
  'failed_precondition',
  'unauthenticated',
  'permission_denied',
  'unimplemented',
]);

/** What is tried again, and what nobody can help: an error says no more than why. */
function noLink(error: unknown): MadeLink {
  const reason = error instanceof DomainError ? String(error.details.reason ?? '') : '';
  switch (reason) {
    case 'settled':
    case 'expired':
      return { kind: 'none', reason, isSettled: true };
    case 'no_user':
    case 'no_sign_in':
      return { kind: 'none', reason, isSettled: false };
    default:
      return error instanceof DomainError && lasting.has(error.kind)
        ? { kind: 'none', reason: 'refused', isSettled: false }
        : { kind: 'unavailable' };
  }
}
