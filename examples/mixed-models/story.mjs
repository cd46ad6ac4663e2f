import { holds } from '../holds.mjs';

export const title = 'Gemini plans, Claude objects, an OpenAI-compatible model acts, and a human decides';

export default async function story({ agent, model, resources }) {
  const asked = await agent.ask('create a server web-1 with value 42');
  const providers = await model.asked();
  holds('until somebody had to be asked each provider was called once', providers.toSorted(), [
    'Claude',
    'Gemini',
    'OpenAI',
  ]);
  holds('the one that acts was called when the opinions were there', providers.at(-1), 'OpenAI');
  const wanted = asked.waits.map(({ tool_args: args }) => args);
  holds('it does what another provider planned', wanted, [{ name: 'web-1', value: 42 }]);
  const { session_state: written } = asked.conversation.pipeline_state ?? {};
  holds('both opinions are kept', Object.keys(written ?? {}).sort(), ['critique', 'plan']);
  holds('nothing has happened', await resources(), {});

  await agent.decide(asked.waits[0], 'yes', 'alice');
  holds('the call was made', await resources(), { 'web-1': 42 });
  holds('only the provider that asked for it was told', (await model.asked()).slice(3), ['OpenAI']);
}
