import type { AgentLimits, ContextScope, NamedContext } from '@stopgo/core';
import type { AgentNodeConfig } from '@stopgo/runtime/yaml';
import type { AgentFormat } from './place.ts';

/** What one file says of an agent, whatever its format. */
export type AgentFile = {
  /** Inside its repository. */
  readonly path: string;
  readonly format: AgentFormat;
  /** From the path: what others call it, without a namespace. */
  readonly name: string;
  /** What people call it; the name, if the file says nothing else. */
  readonly title: string;
  readonly description: string;
  readonly version?: string;
  readonly tags: readonly string[];
  readonly examples: readonly string[];
  /** As a provider calls it; absent: the usual one. */
  readonly model?: string;
  readonly models?: Readonly<Record<string, string>>;
  readonly providers: readonly string[];
  /** Names of the tool servers that it uses; absent: all. */
  readonly toolServers?: readonly string[];
  /** Patterns of the names of their tools; absent: all. */
  readonly tools?: readonly string[];
  readonly allowedAgents: readonly string[];
  readonly contextScope: ContextScope;
  readonly context?: NamedContext;
  readonly executionMinutesMax?: number;
  readonly completionRequired: boolean;
  readonly limits?: AgentLimits;
  /** `require`: whatever a tool of it destroys waits for a person, wherever the agent stands. */
  readonly approvals: 'default' | 'require';
  readonly onReject?: 'cancel' | 'continue';
  readonly outputKey?: string;
  readonly turnsMax?: number;
  /** The body: a template of what its model is told, and of a tree each model that is told nothing else. */
  readonly prompt: string;
  /** The nodes that it consists of; absent: it is one. */
  readonly tree?: AgentTree;
};

/** A tree as the file writes it, and what that means. A node without a model has an empty one. */
export type AgentTree = { readonly written: unknown; readonly root: AgentNodeConfig };

/** What a format makes of a frontmatter: all but what the path and the body say. */
export type AgentFields = Omit<AgentFile, 'path' | 'format' | 'name' | 'prompt' | 'title' | 'tree'> & {
  readonly title?: string;
  /** As the file writes it. */
  readonly tree?: unknown;
};
