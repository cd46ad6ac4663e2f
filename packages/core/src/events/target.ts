import { facts } from '@stopgo/proto';

/** Whom a call goes to. */
export type CallTarget =
  /** A tool of an MCP server. */
  | { readonly kind: 'tool'; readonly server: string }
  /** Another agent, over A2A. */
  | { readonly kind: 'remote'; readonly agent: string }
  /** An agent of this platform, whose tree goes on inside the same run; empty as it is offered: its call names it. */
  | { readonly kind: 'agent'; readonly agent: string }
  /** What an agent of this platform remembers; empty as it is offered: it is the one that asks. */
  | { readonly kind: 'memory'; readonly agent: string }
  /** People, whom an agent of this platform asks for something; empty as it is offered: it is the one that asks. */
  | { readonly kind: 'people'; readonly agent: string }
  /** What the agents of a run share; empty as it is offered: the agent is the one that asks. */
  | { readonly kind: 'data'; readonly agent: string }
  /** A tool of the platform itself, which is done once it is asked for. */
  | { readonly kind: 'control' };

/**
 * Whom a recorded call goes to; undefined for a name under which nothing was offered. Recorded calls name a server or an agent, and
 * none of both for the platform's own tools.
 */
export function recordedTarget({
  server,
  agent,
  platformAgent,
  memoryOf,
  askedBy,
  sharedBy,
  disposition,
}: TargetNames & Pick<facts.Call, 'disposition'>): CallTarget | undefined {
  if (sharedBy !== '') return { kind: 'data', agent: sharedBy };
  if (askedBy !== '') return { kind: 'people', agent: askedBy };
  if (memoryOf !== '') return { kind: 'memory', agent: memoryOf };
  if (platformAgent !== '') return { kind: 'agent', agent: platformAgent };
  if (agent !== '') return { kind: 'remote', agent };
  if (server !== '') return { kind: 'tool', server };
  return disposition === facts.Disposition.CONTROL ? { kind: 'control' } : undefined;
}

/** The names of which one says whom a call goes to; the others are empty. */
export type TargetNames = Pick<facts.Call, 'server' | 'agent' | 'platformAgent' | 'memoryOf' | 'askedBy' | 'sharedBy'>;

/** How a call names its target on the record: {@link recordedTarget} reads it. */
export function namesOnRecord(target: CallTarget): TargetNames {
  const none = { server: '', agent: '', platformAgent: '', memoryOf: '', askedBy: '', sharedBy: '' };
  switch (target.kind) {
    case 'tool':
      return { ...none, server: target.server };
    case 'remote':
      return { ...none, agent: target.agent };
    case 'agent':
      return { ...none, platformAgent: target.agent };
    case 'memory':
      return { ...none, memoryOf: target.agent };
    case 'people':
      return { ...none, askedBy: target.agent };
    case 'data':
      return { ...none, sharedBy: target.agent };
    case 'control':
      return none;
  }
}

/** The tool server that a call goes to, as it is recorded and shown; empty if it goes to none. */
export function serverOf(target: CallTarget | undefined): string {
  return target?.kind === 'tool' ? target.server : '';
}

/** The other agent that a call goes to, as it is recorded and shown; empty if it goes to none. */
export function remoteOf(target: CallTarget | undefined): string {
  return target?.kind === 'remote' ? target.agent : '';
}

/** Name of the server or the agent; empty for the platform itself. */
export function nameOfTarget(target: CallTarget): string {
  switch (target.kind) {
    case 'tool':
      return target.server;
    case 'remote':
    case 'agent':
    case 'memory':
    case 'people':
    case 'data':
      return target.agent;
    case 'control':
      return '';
  }
}
