import type { ReactNode } from 'react';
import { type Answered, useAnswer } from '../state/answer.ts';
import { Icon } from '../ui/icon.tsx';
import { Loaded } from '../ui/page.tsx';
import { Line } from '../ui/text.tsx';
import { AlarmList } from './alarms.tsx';
import { oftenMs } from './often.ts';
import { ProcessList } from './processes.tsx';
import { ServerList } from './servers.tsx';
import { tilesOf } from './tiles.ts';
import type { Alarms, Health, HeldTools, ToolServers, Tools, Waits } from './types.ts';
import { AgentList, WaitList } from './waits.tsx';

/** How the platform is: what somebody should look at first, then everything that it is made of. */
export function Overview(given: { readonly isAdministrator: boolean; readonly held: HeldTools | undefined }) {
  const { isAdministrator, held } = given;
  const health = useAnswer<Health>('/health', oftenMs);
  const alarms = useAnswer<Alarms>(isAdministrator ? '/alarms' : undefined, oftenMs);
  const servers = useAnswer<ToolServers>('/mcp/servers', oftenMs);
  const waits = useAnswer<Waits>(isAdministrator ? '/waits' : undefined, oftenMs);
  const tools = useAnswer<Tools>('/tools', oftenMs);
  const agents = tools.value?.tools.filter(({ server }) => server === undefined) ?? [];
  const answers = { health, alarms, servers, waits };
  return (
    <div className="operations">
      <Tiles answers={answers} held={held} />
      {health.value?.reason === undefined ? null : (
        <p className="panel bad">
          <strong>Nothing can be recorded now.</strong> <Line text={health.value.reason} />
        </p>
      )}
      <Section id="alarms" title="Alarms">
        {isAdministrator ? (
          <Loaded of={alarms}>{({ alarms: all }) => <AlarmList alarms={all} />}</Loaded>
        ) : (
          <p className="calm">Administrators see the alarms of the platform here.</p>
        )}
      </Section>
      {isAdministrator ? (
        <Section id="waits" title="What runs wait for">
          <Loaded of={waits}>{({ waits: all }) => <WaitList waits={all} />}</Loaded>
        </Section>
      ) : null}
      <Section id="servers" title="Tool servers">
        <Loaded of={servers}>{(value) => <ServerList {...value} />}</Loaded>
      </Section>
      {agents.length === 0 ? null : (
        <Section id="agents" title="Other agents">
          <AgentList agents={agents} waits={waits.value?.waits} />
        </Section>
      )}
      {isAdministrator ? (
        <Section id="processes" title="Services">
          <Loaded of={alarms}>{({ processes }) => <ProcessList processes={processes} />}</Loaded>
        </Section>
      ) : null}
    </div>
  );
}

const Section = ({
  id,
  title,
  children,
}: {
  readonly id: string;
  readonly title: string;
  readonly children: ReactNode;
}) => (
  <section className="block" aria-labelledby={`${id}-title`} id={id}>
    <h2 id={`${id}-title`}>{title}</h2>
    {children}
  </section>
);

function Tiles(given: {
  readonly answers: {
    readonly health: Answered<Health>;
    readonly alarms: Answered<Alarms>;
    readonly servers: Answered<ToolServers>;
    readonly waits: Answered<Waits>;
  };
  readonly held: HeldTools | undefined;
}) {
  const { health, alarms, servers, waits } = given.answers;
  const tiles = tilesOf({
    ...{ health: health.value, alarms: alarms.value, servers: servers.value },
    ...{ waits: waits.value, held: given.held },
  });
  return (
    <ul className="tiles" aria-label="At a glance">
      {tiles.map(({ name, words, tone }) => (
        <li key={name} className={`tile ${tone}`}>
          <Icon name={tone === 'good' ? 'check' : 'warn'} />
          <span className="tile-name">{name}</span>
          <span className="tile-words">{words}</span>
        </li>
      ))}
    </ul>
  );
}
