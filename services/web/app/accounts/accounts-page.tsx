import { Button } from 'react-aria-components';
import { platform } from '../api/platform.ts';
import { useAnswer } from '../state/answer.ts';
import { AskFirst } from '../ui/ask-first.tsx';
import { Loaded, Page } from '../ui/page.tsx';
import { Exact, Line } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import { CameBack } from './came-back.tsx';
import { useConnecting } from './connecting.ts';
import '../styles/operations.css';

const everyMs = 10_000;

/** How an account is, as the platform says. */
type Account = {
  readonly server: string;
  readonly connected: boolean;
  readonly issuer?: string;
  readonly scopes?: readonly string[];
  readonly connected_at?: string;
  readonly problem?: string;
};
type Answer = { readonly connections: readonly Account[] };

/** The accounts that somebody has connected at tool servers, and the place to which an authorization server leads back. */
export default function AccountsPage({ isBack, query }: { readonly isBack: boolean; readonly query: string }) {
  return (
    <Page title="Connected accounts">
      <div className="operations">{isBack ? <CameBack query={query} /> : <Accounts />}</div>
    </Page>
  );
}

function Accounts() {
  const answer = useAnswer<Answer>('/connections', everyMs);
  return (
    <section className="block" aria-labelledby="accounts-title">
      <h2 id="accounts-title">At tool servers</h2>
      <p className="lead">
        Some tools work with an account of yours. You log in where that account is; nobody here sees your password or
        the keys that are given. What waited for an account goes on by itself.
      </p>
      <Loaded of={answer}>
        {({ connections }) =>
          connections.length === 0 ? (
            <p className="calm">No tool server here wants an account.</p>
          ) : (
            <ul className="panels">
              {connections.map((one) => (
                <li key={one.server}>
                  <OneAccount account={one} onChanged={answer.again} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

function OneAccount({ account, onChanged }: { readonly account: Account; readonly onChanged: () => void }) {
  const { server, connected, issuer = '', connected_at: at, scopes = [], problem = '' } = account;
  const { begin, isBeginning, problem: refused } = useConnecting(server);
  const disconnect = async (): Promise<void> => {
    await platform.call('DELETE /connections/{server}', { path: { server } });
    onChanged();
  };
  return (
    <article className="panel" aria-label={`Account at ${server}`}>
      <h3>
        <Exact text={server} label="the server" />
      </h3>
      {connected ? (
        <p>
          Connected <Time at={at ?? null} />, through <Line text={issuer} />
          {scopes.length === 0 ? null : (
            <>
              . It may: <Line text={scopes.join(', ')} />
            </>
          )}
        </p>
      ) : (
        <p>
          Not connected.{' '}
          {problem === '' ? null : (
            <>
              It was before: <Line text={problem} />.
            </>
          )}
        </p>
      )}
      <div className="buttons">
        <Button className={connected ? 'button' : 'button go'} isDisabled={isBeginning} onPress={() => void begin()}>
          {isBeginning ? 'Asking the server…' : connected ? 'Connect again' : 'Connect your account'}
        </Button>
      </div>
      <p role="alert" className="problem">
        {refused}
      </p>
      {connected ? (
        <AskFirst
          label="Disconnect…"
          name={`Disconnect your account at ${server}`}
          tone="stop"
          yes="Yes, disconnect it"
          means={
            <p>What the account is used with is destroyed here. Calls that need it wait until you connect one again.</p>
          }
          onYes={disconnect}
        />
      ) : null}
    </article>
  );
}
