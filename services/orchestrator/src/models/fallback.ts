import type { FailureCause, ModelOutcome, ModelPort } from './port.ts';

/** A model by its name. */
export type NamedPort = { readonly name: string; readonly port: ModelPort };

/** Told that a model could not answer, and which is asked instead; the reason is bounded and free of secrets. */
export type OnFallback = (of: { readonly model: string; readonly instead: string; readonly reason: string }) => void;

/**
 * The fault is the provider's, or that of the account there: another provider can be asked the same. It is not asked what this one has
 * refused for its content, nor what was too long: that would be looking for a provider with fewer scruples, or sending it all again in vain.
 */
const othersMay: ReadonlySet<FailureCause | undefined> = new Set([
  'rate_limited',
  'unavailable',
  'unauthorized',
  'unknown_model',
]);

/** Characters of what the failures of all models say together. */
const messageCharactersMax = 4_096;

/**
 * Models as one: each is asked where the one before could not answer, with all retries and the whole time limit of its own. What was
 * passed on of an answer that broke off is taken back (`onRestart`); who does not listen to that is not told another answer.
 */
export function inOrder(models: readonly [NamedPort, ...NamedPort[]], onFallback: OnFallback): ModelPort {
  const [first, ...others] = models;
  if (others.length === 0) return first.port;
  return {
    takes: (...media) => models.some(({ port }) => port.takes(...media)),
    generate: async (request, call) => {
      const failures: string[] = [];
      let isShown = false;
      const { onDelta } = call;
      const onPiece = (text: string): void => {
        isShown = true;
        onDelta?.(text);
      };
      for (const [index, { name, port }] of models.entries()) {
        const outcome = await port.generate(request, { ...call, ...(onDelta && { onDelta: onPiece }) });
        if (outcome.kind === 'answer') return outcome;
        failures.push(outcome.message);
        const next = models[index + 1];
        const isStuck = isShown && call.onRestart === undefined;
        if (next === undefined || isStuck || !othersMay.has(outcome.cause)) return failedAs(outcome, failures);
        if (isShown) call.onRestart?.();
        isShown = false;
        onFallback({ model: name, instead: next.name, reason: outcome.message });
      }
      throw new Error('the last model has an outcome');
    },
  };
}

/** The failure of the model that was asked last, with what those before it said. */
function failedAs(last: Extract<ModelOutcome, { kind: 'failed' }>, failures: readonly string[]): ModelOutcome {
  return { ...last, message: failures.join('; then ').slice(0, messageCharactersMax) };
}
