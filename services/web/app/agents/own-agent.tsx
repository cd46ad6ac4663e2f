import { useAnswer } from '../state/answer.ts';
import { Icon } from '../ui/icon.tsx';
import { Link } from '../ui/link.tsx';
import { Loaded, Page } from '../ui/page.tsx';
import { Block, Line } from '../ui/text.tsx';
import { HealthDot } from './agent-row.tsx';
import { healthOf } from './health.ts';
import { agentsPlace } from './places.ts';
import type { Card, Tool, ToolServer } from './types.ts';

/** How often it is asked how things stand, in milliseconds. */
const refreshMs = 10_000;

/** The agent that stands in the configuration of the platform itself: it has no versions here, and is changed there. */
export function OwnAgent({ card }: { readonly card: Card }) {
  const tools = useAnswer<{ tools: readonly Tool[] }>('/tools', refreshMs);
  const servers = useAnswer<{ servers: readonly ToolServer[] }>('/mcp/servers', refreshMs).value?.servers;
  return (
    <Page
      title={<Line text={card.name} />}
      back={agentsPlace}
      actions={
        <Link to="/" className="button primary">
          <Icon name="chat" /> Start a conversation
        </Link>
      }
    >
      <div className="column">
        <section className="panel" aria-label="What it is">
          <div className="agent-lead">
            {card.description === '' ? null : (
              <p className="agent-what">
                <Block text={card.description} />
              </p>
            )}
            {servers === undefined ? null : (
              <p>
                <HealthDot health={healthOf(undefined, servers, undefined)} />
              </p>
            )}
          </div>
          <p className="card-note">
            This agent stands in the configuration of the platform, and answers where no other agent is chosen. To
            change it, change that file and restart; <code>stopgo graph</code> shows what it consists of.
          </p>
        </section>
        <h2 className="section-title">Tools</h2>
        <Loaded of={tools}>
          {({ tools: all }) =>
            all.length === 0 ? (
              <p className="card-note">It has no tools.</p>
            ) : (
              <ul className="tool-rows">
                {all.map(({ name, description = '', destructiveHint }) => (
                  <li key={name}>
                    <p>
                      <code>
                        <Line text={name} />
                      </code>
                      {destructiveHint ? <span className="tag wait">can do harm</span> : null}
                    </p>
                    <p className="tool-what">
                      <Line text={description} />
                    </p>
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </div>
    </Page>
  );
}
