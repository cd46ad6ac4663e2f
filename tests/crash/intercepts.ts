import type { Intercept } from '@stopgo/cli';
import type { Points } from './points.ts';

/** Counts, between the services of one process, what a run does to the outside world; dies there if it is told to. */
export function crashIntercept(points: Points): Required<Intercept> {
  return {
    store: (client) => ({
      ...client,
      append: async (request, options) => {
        points.pass('append.before');
        const answer = await client.append(request, options);
        points.pass('append.after');
        return answer;
      },
    }),
    bridge: (client) => ({
      ...client,
      execute: async (request, options) => {
        points.pass('execute.before');
        const answer = await client.execute(request, options);
        points.pass('execute.after');
        return answer;
      },
      fenceCall: async (request, options) => {
        points.pass('fence.before');
        try {
          return await client.fenceCall(request, options);
        } finally {
          // A bridge that has died answers with an error: that is an answer too.
          points.pass('fence.after');
        }
      },
    }),
    models: (models) => ({
      forModel: (name) => ({
        generate: async (request, call) => {
          points.pass('model.before');
          const answer = await models.forModel(name).generate(request, call);
          points.pass('model.after');
          return answer;
        },
      }),
    }),
  };
}

/** Both, the inner one nearer to the service. */
export function stacked(outer: Required<Intercept>, inner: Intercept): Required<Intercept> {
  return {
    store: (client) => outer.store(inner.store?.(client) ?? client),
    bridge: (client) => outer.bridge(inner.bridge?.(client) ?? client),
    models: (models) => outer.models(inner.models?.(models) ?? models),
  };
}
