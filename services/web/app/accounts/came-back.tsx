import { useEffect, useState } from 'react';
import { platform } from '../api/platform.ts';
import { wordsOf } from '../api/words.ts';
import { Link } from '../ui/link.tsx';
import { Line } from '../ui/text.tsx';

type Outcome =
  | { readonly kind: 'asking' }
  | { readonly kind: 'connected'; readonly server: string }
  | { readonly kind: 'failed'; readonly why: string };

/** Names of what an authorization server leads back with. */
const names = ['state', 'code', 'iss', 'error'] as const;

/** Connects the account with what its user came back with. */
export function CameBack({ query }: { readonly query: string }) {
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'asking' });
  useEffect(() => {
    const said = new URLSearchParams(query);
    const body = Object.fromEntries(names.flatMap((name) => (said.has(name) ? [[name, said.get(name) ?? '']] : [])));
    // It works once: neither a reload nor the way back is to send it again.
    history.replaceState(null, '', '/accounts');
    platform.call('POST /connections', { body }).then(
      ({ server }) => setOutcome({ kind: 'connected', server }),
      (error: unknown) => setOutcome({ kind: 'failed', why: wordsOf(error) }),
    );
  }, [query]);
  return (
    <section className="block" aria-live="polite" aria-labelledby="came-back-title">
      <h2 id="came-back-title">
        {outcome.kind === 'asking'
          ? 'Connecting your account…'
          : outcome.kind === 'connected'
            ? 'Your account is connected'
            : 'Your account is not connected'}
      </h2>
      {outcome.kind === 'connected' ? (
        <p>
          <Line text={outcome.server} /> can be used on your behalf now. What waited for it goes on by itself.
        </p>
      ) : null}
      {outcome.kind === 'failed' ? (
        <p>
          <Line text={outcome.why} />
        </p>
      ) : null}
      <p className="buttons">
        <Link to="/" className="button">
          To the conversations
        </Link>
      </p>
    </section>
  );
}
