import { Link } from '../ui/link.tsx';
import { Block, count, Line } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import { serverWords } from './server-words.ts';
import type { ToolServer, ToolServers } from './types.ts';

/** The tool servers as each bridge finds them. */
export function ServerList({ servers, bridges }: ToolServers) {
  const silent = bridges.filter(({ answers }) => !answers);
  const names = [...new Set(servers.map(({ name }) => name))];
  return (
    <>
      {silent.length === 0 ? null : (
        <p className="problem">
          {silent.length} of {count(bridges.length, 'bridge')} to the tools gave no answer:{' '}
          {silent.map(({ address, instance }) => instance ?? address ?? 'unknown').join(', ')}.
        </p>
      )}
      {names.length === 0 ? <p className="calm">No tool server is configured.</p> : null}
      <ul className="panels">
        {names.map((name) => {
          const own = servers.filter((one) => one.name === name);
          const worst = own.some((one) => serverWords(one).tone === 'bad')
            ? 'bad'
            : own.some((one) => serverWords(one).tone === 'wait')
              ? 'warned'
              : '';
          return (
            <li key={name} className={`panel ${worst}`}>
              {own.map((one, index) => (
                <OneServer key={one.bridge} server={one} isFirst={index === 0} isAlone={own.length === 1} />
              ))}
            </li>
          );
        })}
      </ul>
    </>
  );
}

const dots = { good: 'approved', wait: 'wait', bad: 'bad' } as const;

function OneServer(given: { readonly server: ToolServer; readonly isFirst: boolean; readonly isAlone: boolean }) {
  const { server, isFirst, isAlone } = given;
  const { name, since, reason, tools, tools_held: held, tools_deselected: deselected, last_error: last } = server;
  const { state, tone, done } = serverWords(server);
  return (
    <section className="server">
      {isFirst ? (
        <h3>
          <Line text={name} />
        </h3>
      ) : null}
      {isAlone ? null : (
        <p className="panel-note">
          Bridge <Line text={server.bridge} />
        </p>
      )}
      <p>
        <span className={`dot ${dots[tone]}`}>{state}</span>
        <span className="since">
          {' '}
          since <Time at={since} />
        </span>
      </p>
      {reason === undefined ? null : (
        <p>
          <Block text={reason} />
        </p>
      )}
      {done === undefined ? null : <p className="panel-note">{done}</p>}
      <p className="panel-note">
        <Link to={`/operations/tools?server=${encodeURIComponent(name)}`}>{count(tools, 'tool')}</Link>
        {held > 0 ? (
          <>
            , <Link to="/operations/tools">{held} to be accepted</Link>
          </>
        ) : null}
        {deselected > 0 ? `, ${deselected} left out by the configuration` : ''}
        {server.left_out.length > 0 ? `, ${server.left_out.length} not taken: see below` : ''}
        {server.calls.running > 0 ? `, ${count(server.calls.running, 'call')} running` : ''}
        {server.calls.waiting > 0 ? `, ${count(server.calls.waiting, 'call')} waiting` : ''}
        {server.restarts > 0
          ? `, connected again ${server.restarts === 1 ? 'once' : count(server.restarts, 'time')}`
          : ''}
      </p>
      <details className="more">
        <summary>More about it</summary>
        <dl className="facts">
          <Fact name="Reached by">
            <Line text={server.transport} />: <Line text={server.address} />
          </Fact>
          {server.protocol === undefined ? null : (
            <Fact name="Protocol">
              <Line text={`${server.protocol.version} (${server.protocol.era})`} />
            </Fact>
          )}
          {last === undefined ? null : (
            <Fact name="Last went wrong">
              <Line text={last.text} />, <Time at={last.at} />
            </Fact>
          )}
          {server.left_out.map((one) => (
            <Fact key={one.name} name="Left out">
              <Line text={one.name} />: <Line text={one.reason} />
            </Fact>
          ))}
          {server.problems.map((one) => (
            <Fact key={one} name="Problem">
              <Line text={one} />
            </Fact>
          ))}
        </dl>
      </details>
    </section>
  );
}

const Fact = ({ name, children }: { readonly name: string; readonly children: React.ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
