import type { Intercept } from '@stopgo/cli';
import type { Points } from './points.ts';

/** The seams that a crash, or a mutant, is put into. */
export type Seams = Required<Pick<Intercept, 'store' | 'bridge' | 'models' | 'registry'>>;

/** Counts, between the services of one process, what a run does to the outside world; dies there if it is told to. */
export function crashIntercept(points: Points): Seams {
  return {
    store: (client) => ({
      ...client,
      append: async (request, options) => {
        // Definitions are put on the record when a platform starts; all else belongs to a conversation.
        const isDefinition = request.stream?.startsWith('conversation-') !== true;
        points.pass(isDefinition ? 'define.before' : 'append.before');
        const answer = await client.append(request, options);
        points.pass(isDefinition ? 'define.after' : 'append.after');
        return answer;
      },
      putBlob: async (request, options) => {
        points.pass('put.before');
        const answer = await client.putBlob(request, options);
        points.pass('put.after');
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
      forModel: (...names) => ({
        takes: (...media) => models.forModel(...names).takes(...media),
        generate: async (request, call) => {
          points.pass('model.before');
          const answer = await models.forModel(...names).generate(request, call);
          points.pass('model.after');
          return answer;
        },
      }),
    }),
    registry: (client) => ({
      ...client,
      resolveAgent: async (request, options) => {
        points.pass('resolve.before');
        const answer = await client.resolveAgent(request, options);
        points.pass('resolve.after');
        return answer;
      },
    }),
  };
}

/** Both, the inner one nearer to the service. */
export function stacked(outer: Seams, inner: Partial<Seams>): Seams {
  return {
    store: (client) => outer.store(inner.store?.(client) ?? client),
    bridge: (client) => outer.bridge(inner.bridge?.(client) ?? client),
    models: (models) => outer.models(inner.models?.(models) ?? models),
    registry: (client) => outer.registry(inner.registry?.(client) ?? client),
  };
}
