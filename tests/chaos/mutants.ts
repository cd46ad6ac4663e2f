import type { Edit } from '../promises/bundle.ts';

/**
 * Ways to break the platform in its source. The chaos test must find each of them out; one that it does not see is a hole
 * in the checker. An edit that no longer fits its file fails the build of the programs.
 */
export const mutants = {
  /** Nobody's approval is waited for, and the bridge does not look. */
  'no-approval': [
    {
      file: 'packages/core/src/policy/hints.ts',
      from: 'if (hints.destructive) return',
      to: 'if (approvalRequired) return',
    },
  ],
  /** Whoever drives a run judges its calls by the rules that it came to know first. */
  'own-rules': [
    {
      file: 'services/orchestrator/src/definitions.ts',
      from: 'readonly #policies = new KeptDefinitions<Policy>();',
      to: `readonly #policies = {
        first: undefined as Policy | undefined,
        get(_digest: string) { return this.first; },
        keep(_digest: string, value: Policy, _characters: number) { this.first ??= value; return value; },
      };`,
    },
  ],
  /** Inside parallel branches and loops nobody is asked, also where the configuration wants it. */
  'require-ignored': [
    {
      file: 'packages/core/src/calls/verdict.ts',
      from: "tool.approvalRequired || (byDefault.kind === 'ask' && site.node.approval === 'require')",
      to: 'tool.approvalRequired',
    },
  ],
  /** An append is stored whatever has come before it. */
  'append-without-fence': [
    {
      file: 'services/store/src/adapters/jetstream/publish.ts',
      from: "expectations.set('Nats-Expected-Last-Subject-Sequence'",
      to: "if (lastSubjectSequence < 0) expectations.set('Nats-Expected-Last-Subject-Sequence'",
    },
  ],
  /** A call of a bridge that has died counts as one that never began. */
  'doubt-is-no': [
    {
      file: 'services/orchestrator/src/driver/questions/ask-fence.ts',
      from: "kind: 'unknown',\n  message: 'the process that made the call has ended, and nobody knows how the call ended',",
      to: "kind: 'fenced',",
    },
  ],
  /** Whoever takes over a call asks nobody what became of it, and puts it in doubt. */
  'doubts-early': [
    {
      file: 'services/orchestrator/src/driver/calls/tool-way.ts',
      from: 'await askFence(driver, key, bridge)',
      to: "await Promise.resolve({ kind: 'unknown', message: 'nobody was asked' } as const)",
    },
  ],
  /** A bridge forgets an attempt as soon as it has begun. */
  'attempts-forgotten': [
    {
      file: 'services/mcp-bridge/src/attempts/attempts.ts',
      from: 'this.#running.set(id, running);',
      to: '',
    },
    {
      file: 'services/mcp-bridge/src/attempts/attempts.ts',
      from: 'this.#keep(id, isRepeatable, end);',
      to: '',
    },
  ],
  /** One of those who have to say yes is enough. */
  'one-is-enough': [
    {
      file: 'packages/core/src/interrupts/decide-approval.ts',
      from: 'if (isYes && missing > 1) {',
      to: 'if (isYes && missing > 99) {',
    },
  ],
  /** A reminder is told again and again. */
  'reminds-again': [
    {
      file: 'packages/core/src/interrupts/kinds/approval.ts',
      from: 'changed(run, approvalId, { reminders: number })',
      to: 'changed(run, approvalId, { reminders: number - number })',
    },
  ],
  /** Some notices are forgotten. */
  'webhook-forgets': [
    {
      file: 'services/orchestrator/src/push/webhooks/notices.ts',
      from: 'if (webhooks.size === 0) return undefined;',
      to: 'if (webhooks.size === 0 || revision % 3 === 0) return undefined;',
    },
  ],
  /** Each call is sent twice. */
  'execute-twice': [
    {
      file: 'services/mcp-bridge/src/attempts/executor.ts',
      from: 'return withoutSecrets(await run(), secrets);',
      to: 'await run();\n    return withoutSecrets(await run(), secrets);',
    },
  ],
  /** A call whose answer is lost is made anew without asking what became of it. */
  'lost-is-not-started': [
    {
      file: 'services/orchestrator/src/driver/calls/send-call.ts',
      from: 'return await askFence(driver, key, bridge);',
      to: "return { kind: 'fenced' } as const;",
    },
    {
      file: 'services/orchestrator/src/driver/calls/tool-way.ts',
      from: 'await askFence(driver, key, bridge)',
      to: "await Promise.resolve({ kind: 'fenced' } as const)",
    },
  ],
  /** Some messages are not written into the views. */
  'views-skip': [
    {
      file: 'services/store/src/adapters/sqlite-views/projection.ts',
      from: 'for (const message of messages) this.#writeMessage',
      to: 'for (const message of messages.filter(({ revision }) => revision % 5 !== 0)) this.#writeMessage',
    },
  ],
  /** A repeated request is a new one. */
  'keys-ignored': [
    {
      file: 'services/gateway/src/idempotency.ts',
      from: "checkedKey(req.get('idempotency-key'))",
      to: "checkedKey(req.get('idempotency-key')?.concat(String(Math.random())))",
    },
  ],
} as const satisfies Readonly<Record<string, readonly Edit[]>>;

/** The mutant of this name. */
export function mutantOf(name: string): readonly Edit[] {
  const found = Object.entries(mutants).find(([one]) => one === name);
  if (found === undefined)
    throw new Error(`there is no mutant "${name}"; there are ${Object.keys(mutants).join(', ')}`);
  return found[1];
}
