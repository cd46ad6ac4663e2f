import { lazy, Suspense, useState } from 'react';
import { Button } from 'react-aria-components';
import { useAnswer } from '../state/answer.ts';
import { go } from '../state/place.ts';
import { Icon } from '../ui/icon.tsx';
import { Link } from '../ui/link.tsx';
import { Line, Marked } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';

// Who looks for another agent loads what is needed for that then.
const ChooseAgent = lazy(() => import('../agents/choose-agent.tsx'));

type Answer = {
  readonly agent: {
    readonly name: string;
    readonly description: string;
    readonly git_commit: string;
    readonly last_modified: string | null;
    readonly definition_digest: string;
  };
};

/** The agent that a new conversation is for. */
export type Chosen = {
  /** What a request says of it: nothing for the agent of the configuration. */
  readonly asked: { readonly agent?: string; readonly git_commit?: string };
  /** The version that will run, and the newest one, once they are known. */
  readonly version: Answer['agent'] | undefined;
  readonly newest: Answer['agent'] | undefined;
  readonly problem: string | undefined;
  /** It is not there, so that nothing can be sent to it. */
  readonly isMissing: boolean;
};

const shownDigits = 12;

/** The agent that the address names, as the platform knows it. */
export function useChosenAgent(query: string): Chosen {
  const given = new URLSearchParams(query);
  const agent = given.get('agent') || undefined;
  const commit = agent === undefined ? undefined : given.get('commit') || undefined;
  const path = agent === undefined ? undefined : `/agents/${encodeURIComponent(agent)}`;
  const newest = useAnswer<Answer>(path);
  const pinned = useAnswer<Answer>(commit === undefined ? undefined : `${path}?${new URLSearchParams({ commit })}`);
  const version = commit === undefined ? newest : pinned;
  return {
    asked: { ...(agent === undefined ? {} : { agent }), ...(commit === undefined ? {} : { git_commit: commit }) },
    version: version.value?.agent,
    newest: newest.value?.agent,
    problem: version.problem,
    isMissing: version.problem !== undefined && version.value === undefined,
  };
}

/** Which agent will answer, and in which version; and the way to another one, where there are others. */
export function ChosenAgent({ chosen }: { readonly chosen: Chosen }) {
  const { asked, version, newest, problem } = chosen;
  const others = useAnswer<{ readonly total: number }>(asked.agent === undefined ? '/agents?limit=1' : undefined);
  const [isChoosing, setChoosing] = useState(false);
  const name = asked.agent;
  const dialog = isChoosing ? (
    <Suspense fallback={null}>
      <ChooseAgent onClose={() => setChoosing(false)} />
    </Suspense>
  ) : null;
  if (name === undefined) {
    if ((others.value?.total ?? 0) === 0) return null;
    return (
      <div className="to-agent">
        <p>The agent of the configuration will answer.</p>
        <Button className="link-button" onPress={() => setChoosing(true)}>
          Choose another agent
        </Button>
        {dialog}
      </div>
    );
  }
  const areKnown = newest !== undefined && version !== undefined;
  const isOther = asked.git_commit !== undefined && areKnown && newest.definition_digest !== version.definition_digest;
  return (
    <section className="to-agent chosen-agent" aria-label="The agent that will answer">
      <p className="chosen-agent-name">
        <Icon name="agent" /> <Line text={name} />
        {asked.git_commit === undefined ? null : (
          <span className={isOther ? 'tag wait' : 'tag now'}>{isOther ? 'an older version' : 'one version'}</span>
        )}
      </p>
      {version === undefined ? null : (
        <>
          <p>
            <Marked text={version.description} />
          </p>
          <p className="chosen-agent-version">
            {asked.git_commit === undefined ? 'The newest version, ' : 'Version '}
            <code title={version.git_commit}>{version.git_commit.slice(0, shownDigits)}</code>{' '}
            <Time at={version.last_modified} />
            {asked.git_commit === undefined
              ? ''
              : '. It answers your first message. Later messages go to the newest version.'}
          </p>
        </>
      )}
      <p role="alert" className="problem">
        {problem}
      </p>
      <p className="chosen-agent-ways">
        <Button className="link-button" onPress={() => setChoosing(true)}>
          Choose another agent
        </Button>
        {asked.git_commit === undefined ? null : (
          <Button className="link-button" onPress={() => go(`/?${new URLSearchParams({ agent: name })}`)}>
            Take the newest version
          </Button>
        )}
        {version === undefined ? null : (
          <Link
            to={`/agents/${encodeURIComponent(name)}${asked.git_commit === undefined ? '' : `?commit=${version.git_commit}`}`}
          >
            Look at it
          </Link>
        )}
      </p>
      {dialog}
    </section>
  );
}
