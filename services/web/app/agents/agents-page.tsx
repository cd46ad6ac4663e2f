import './agents.css';
import { AgentList } from './agent-list.tsx';
import { AgentView } from './agent-view.tsx';
import { isOfRepositories } from './places.ts';
import { Repositories } from './repositories.tsx';

/** The pages about agents: all of them, one of them, and the repositories that they come from. */
export default function AgentsPage({ rest, query }: { readonly rest: readonly string[]; readonly query: string }) {
  if (rest.length === 0) return <AgentList query={query} />;
  if (isOfRepositories(rest, query)) return <Repositories />;
  // Somebody may write the slashes of a name as they are.
  const name = rest.join('/');
  return <AgentView key={name} name={name} query={query} />;
}
