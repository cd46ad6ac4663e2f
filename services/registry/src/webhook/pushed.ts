/** What a webhook tells of. */
export type Pushed =
  | { readonly kind: 'push'; readonly ref: string }
  | { readonly kind: 'other'; readonly event: string }
  | { readonly kind: 'unread'; readonly reason: string };

/** What hosts call a push to a branch: GitHub and Gitea, and GitLab. */
const pushes: ReadonlySet<string> = new Set(['push', 'Push Hook']);
const formType = 'application/x-www-form-urlencoded';

/** Reads which branch or tag a webhook says was pushed to. Never throws. */
export function pushedIn(webhook: {
  readonly event: string;
  readonly contentType: string;
  readonly body: Uint8Array;
}): Pushed {
  const { event, contentType, body } = webhook;
  if (!pushes.has(event)) return { kind: 'other', event };
  const text = new TextDecoder().decode(body);
  const isForm = contentType.split(';')[0]?.trim().toLowerCase() === formType;
  try {
    const said: unknown = JSON.parse(isForm ? (new URLSearchParams(text).get('payload') ?? '') : text);
    const ref = typeof said === 'object' && said !== null && 'ref' in said ? said.ref : undefined;
    if (typeof ref === 'string') return { kind: 'push', ref };
    return { kind: 'unread', reason: 'it names no "ref"' };
  } catch {
    return { kind: 'unread', reason: 'it is no JSON' };
  }
}
