import { exactText } from '@stopgo/client';
import { useState } from 'react';
import { type Answered, useAnswer } from '../state/answer.ts';
import { go } from '../state/place.ts';
import { Icon } from '../ui/icon.tsx';
import { Loaded } from '../ui/page.tsx';
import { Block, count, Exact, Line } from '../ui/text.tsx';
import { HeldToolPanel } from './held-tool.tsx';
import { oftenMs } from './often.ts';
import type { HeldTools, Tool, Tools } from './types.ts';

/** The tools: first those that wait for acceptance, then all by their servers. `server`: only those of it. */
export function ToolsPage(given: {
  readonly held: Answered<HeldTools>;
  readonly mayAccept: boolean;
  readonly server: string | undefined;
}) {
  const { held, mayAccept, server } = given;
  const tools = useAnswer<Tools>('/tools', oftenMs);
  const [told, setTold] = useState({ words: '', isProblem: false });
  const onDone = (words: string, isProblem: boolean) => {
    setTold({ words, isProblem });
    held.again();
    tools.again();
  };
  return (
    <div className="operations">
      <section className="block" aria-labelledby="held-title">
        <h2 id="held-title">Wait for acceptance</h2>
        <p role="status" className={told.isProblem ? 'problem' : 'done'}>
          <Line text={told.words} />
        </p>
        <Loaded of={held}>
          {({ tools: all }) =>
            all.length === 0 ? (
              <p className="calm">
                <Icon name="check" /> No tool waits. Tools are used as they were accepted; one that is new or changes is
                held here.
              </p>
            ) : (
              <>
                <p className="lead">
                  These tools are new, or are not what was accepted. No model is offered them, and their calls are
                  refused until somebody accepts them. A call that waits for an approval goes on waiting: once its tool
                  is accepted it can be approved, and if the tool is not what it was then, people are asked once more.
                </p>
                <ul className="panels">
                  {all.map((one) => (
                    <li key={`${one.server} ${one.name} ${one.pin}`}>
                      <HeldToolPanel tool={one} mayAccept={mayAccept} onDone={onDone} />
                    </li>
                  ))}
                </ul>
              </>
            )
          }
        </Loaded>
      </section>
      <section className="block" aria-labelledby="all-title">
        <h2 id="all-title">All tools</h2>
        <Loaded of={tools}>{({ tools: all }) => <ToolList tools={all} server={server} />}</Loaded>
      </section>
    </div>
  );
}

function ToolList({ tools, server }: { readonly tools: readonly Tool[]; readonly server: string | undefined }) {
  const [words, setWords] = useState('');
  const servers = [...new Set(tools.map((one) => one.server))];
  const shown = tools.filter(
    (one) =>
      (server === undefined || one.server === server) &&
      `${one.name} ${one.description}`.toLowerCase().includes(words.trim().toLowerCase()),
  );
  return (
    <>
      <div className="tool-filters">
        <label className="filter-field">
          <span className="visually-hidden">Find a tool</span>
          <input placeholder="Find a tool" value={words} onChange={(event) => setWords(event.target.value)} />
        </label>
        <label className="select-field">
          <span className="visually-hidden">Server</span>
          <select
            value={server ?? ''}
            onChange={({ target }) =>
              go(`/operations/tools${target.value === '' ? '' : `?server=${encodeURIComponent(target.value)}`}`, true)
            }
          >
            <option value="">All servers</option>
            {[...new Set([...servers, server])]
              .filter((one) => one !== undefined)
              .map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
          </select>
        </label>
      </div>
      <p role="status" className="list-note">
        {shown.length === 0 ? 'No tool.' : ''}
      </p>
      {servers
        .filter((one) => shown.some((tool) => tool.server === one))
        .map((one) => {
          const own = shown.filter((tool) => tool.server === one);
          return (
            <section key={one ?? ''} className="of-one-server">
              <h3>
                {one === undefined ? 'Other agents' : <Exact text={one} label="the server" />}{' '}
                <span className="panel-note">{count(own.length, 'tool')}</span>
              </h3>
              <ul className="tool-rows">
                {own.map((tool) => (
                  <li key={tool.name}>
                    <OneTool tool={tool} />
                  </li>
                ))}
              </ul>
            </section>
          );
        })}
    </>
  );
}

const hintWords = [
  ['readOnlyHint', 'Only reads', 'May change something'],
  ['destructiveHint', 'May destroy something', 'Destroys nothing'],
  ['idempotentHint', 'Twice is the same as once', 'Twice is not the same as once'],
  ['openWorldHint', 'Reaches the world outside', 'Stays within its server'],
] as const;

const origins: Readonly<Record<string, string>> = {
  annotations: 'the server says so',
  top_level: 'the server says so, in an old place',
  read_only: 'since it only reads',
  configuration: 'the configuration says so',
  default: 'nobody says anything, so this is assumed',
};

function OneTool({ tool }: { readonly tool: Tool }) {
  const {
    name,
    own_name: own,
    description,
    destructiveHint,
    approval,
    hints,
    inputSchema,
    pin,
    pin_state: state,
  } = tool;
  return (
    <details className="tool">
      <summary>
        <code>
          <Exact text={name} label="the name" />
        </code>
        {destructiveHint || approval === 'require' ? <span className="tag wait">asks first</span> : null}
        <span className="tool-what">
          <Line text={description.split('\n')[0] ?? ''} />
        </span>
      </summary>
      <div className="tool-inside">
        <p>
          <Block text={description} />
        </p>
        {own === undefined ? null : (
          <p className="panel-note">
            Its server calls it <code>{<Line text={own} />}</code>.
          </p>
        )}
        {hints === undefined ? null : (
          <ul className="hints">
            {hintWords.map(([hint, yes, no]) => (
              <li key={hint}>
                {hints[hint].value ? yes : no}{' '}
                <span className="kind">({origins[hints[hint].from] ?? hints[hint].from})</span>
              </li>
            ))}
          </ul>
        )}
        <h4>Arguments that it takes</h4>
        <pre className="exact-json">
          <Exact text={exactText(inputSchema)} label="the arguments" />
        </pre>
        {pin === undefined ? null : (
          <p className="panel-note">
            {state === 'accepted' ? 'Accepted by somebody' : 'Accepted when its server was first met'}, fingerprint{' '}
            <code>{pin.slice(0, 12)}</code>
          </p>
        )}
      </div>
    </details>
  );
}
