import { RequestMalformedError } from '../protocol.ts';

/** There is one agent here: whoever addresses another one must not get this one's tasks. @throws A2AError for that. */
export function requireNoTenant({ tenant = '' }: { readonly tenant?: string }): void {
  if (tenant !== '') throw new RequestMalformedError('there is no such tenant here; leave the tenant out');
}
