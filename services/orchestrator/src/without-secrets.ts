// Takes the secrets that this process knows out of what models and tool servers answer, before anything is recorded or shown: a
// model may repeat what it was told, and a tool what it found in an environment or a file.
import type { SecretFilter } from '@stopgo/security';
import type { DriverPorts } from './driver/handle/ports.ts';
import type { ModelAnswer, ModelPort } from './models/port.ts';
import type { AskedQuestions, ExecuteAnswer, FenceOutcome, ToolPort } from './tool-port.ts';

/** Said to the model of a call whose arguments, or whose name, hold a secret. It does not repeat it. */
const refusal =
  'The arguments hold a credential of this platform; the call was not run. Leave the credential out: the platform adds what a ' +
  'tool needs to log in.';

/** The models, whose texts come without the secrets, in pieces and whole. A call that holds one is refused, and not altered. */
export function modelsWithoutSecrets(models: DriverPorts['models'], secrets: SecretFilter): DriverPorts['models'] {
  return { forModel: (...names) => modelWithoutSecrets(models.forModel(...names), secrets) };
}

/** One model, see {@link modelsWithoutSecrets}. */
export function modelWithoutSecrets(model: ModelPort, secrets: SecretFilter): ModelPort {
  return {
    takes: (name, mediaType, bytes) => model.takes(name, mediaType, bytes),
    generate: async (request, { signal, onDelta, onRestart, onRetry }) => {
      let pieces = secrets.pieces();
      const show = (text: string): void => {
        if (text !== '') onDelta?.(text);
      };
      const outcome = await model.generate(request, {
        signal,
        onRestart: () => {
          pieces = secrets.pieces();
          onRestart?.();
        },
        ...(onDelta === undefined ? {} : { onDelta: (text: string) => show(pieces.push(text)) }),
        ...(onRetry === undefined ? {} : { onRetry: (why: string, inMs: number) => onRetry(secrets.hide(why), inMs) }),
      });
      if (outcome.kind === 'failed') return { ...outcome, message: secrets.hide(outcome.message) };
      const { answer } = outcome;
      show(pieces.end());
      return {
        kind: 'answer',
        // What is the provider's own is sent back to it as it came; nobody reads it here.
        answer: {
          ...answer,
          text: secrets.hide(answer.text),
          calls: answer.calls.map((call) => callOf(call, secrets)),
        },
      };
    },
  };
}

function callOf(call: ModelAnswer['calls'][number], secrets: SecretFilter): ModelAnswer['calls'][number] {
  const { providerCallId, name, argumentsJson } = call;
  if (![name, argumentsJson, asPlainText(argumentsJson)].some((text) => secrets.holds(text))) return call;
  return { providerCallId, name: secrets.hide(name), argumentsJson: '{}', refusal };
}

/** The arguments without the escapes of JSON that may spell a letter of a secret, two ways for a slash among them. */
function asPlainText(json: string): string {
  if (!json.includes('\\')) return '';
  return json
    .replace(/\\u([0-9a-fA-F]{4})/gu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll('\\/', '/');
}

/** The tools, whose results, errors and questions come without the secrets. */
export function toolsWithoutSecrets(tools: ToolPort, secrets: SecretFilter): ToolPort {
  const clean = <Answer extends ExecuteAnswer>(answer: Answer): Answer => withoutSecrets(answer, secrets);
  return {
    catalogue: () => tools.catalogue(),
    choose: () => tools.choose(),
    available: (signal) => tools.available(signal),
    turn: (bridge, server, signal) => tools.turn(bridge, server, signal),
    execute: async (request, waitMs) => clean(await tools.execute(request, waitMs)),
    fence: async (key, bridge, news) => {
      const outcome: FenceOutcome = await tools.fence(key, bridge, news);
      if (outcome.kind === 'outcome') return { ...outcome, outcome: clean(outcome.outcome) };
      if (outcome.kind !== 'running') return outcome;
      return { ...outcome, questions: questionsWithout(outcome.questions, secrets) };
    },
    answer: (key, bridge, answer) => tools.answer(key, bridge, answer),
    cancel: (key, bridge) => tools.cancel(key, bridge),
  };
}

function withoutSecrets<Answer extends ExecuteAnswer>(answer: Answer, secrets: SecretFilter): Answer {
  if (answer.kind === 'finished') {
    const { content, structuredJson, blobs } = answer;
    return {
      ...answer,
      content: secrets.hide(content),
      ...(structuredJson === undefined ? {} : { structuredJson: secrets.hide(structuredJson) }),
      ...(blobs === undefined ? {} : { blobs: blobs.map((blob) => ({ ...blob, name: secrets.hide(blob.name) })) }),
    };
  }
  if (answer.kind === 'asking') return { ...answer, questions: questionsWithout(answer.questions, secrets) };
  if (!('message' in answer) || answer.message === undefined) return answer;
  return { ...answer, message: secrets.hide(answer.message) };
}

/** The mark may stand in JSON and in an address. */
function questionsWithout(questions: AskedQuestions, { hide }: SecretFilter): AskedQuestions {
  return questions.map(({ sampling, ...question }) => ({
    ...question,
    message: hide(question.message),
    schemaJson: hide(question.schemaJson),
    url: hide(question.url),
    ...(sampling && {
      sampling: {
        ...sampling,
        systemPrompt: hide(sampling.systemPrompt),
        messages: sampling.messages.map((one) => ({ ...one, text: hide(one.text) })),
      },
    }),
  }));
}
