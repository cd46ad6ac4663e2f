import type { handleServerStreamingCall, Server, ServerWritableStream } from '@grpc/grpc-js';

/** The standard health service (grpc.health.v1) of one server. It asks for no token and tells nothing else. */
export type Health = {
  /** What it answers from now on, for the server as a whole (no service name) and for each of its services. */
  serving(isServing: boolean): void;
  /** Answers "not serving" for good, and ends the watches, which have no end of their own. */
  stop(): void;
};

/** Adds the health service to a server of the services `typeNames`. */
export async function addHealth(server: Server, typeNames: readonly string[], isServing: boolean): Promise<Health> {
  const { HealthImplementation } = await loadHealth();
  const health = new HealthImplementation();
  const watches = new Set<ServerWritableStream<unknown, unknown>>();
  let stopped = false;
  const serving = (now: boolean) => {
    if (stopped) return;
    for (const name of ['', ...typeNames]) health.setStatus(name, now ? 'SERVING' : 'NOT_SERVING');
  };
  serving(isServing);
  health.addToServer({
    addService: (definition, handlers) => {
      const watch = handlers.watch as handleServerStreamingCall<unknown, unknown>;
      server.addService(definition, {
        ...handlers,
        watch: (call: ServerWritableStream<unknown, unknown>) => {
          watches.add(call);
          call.once('cancelled', () => watches.delete(call));
          watch(call);
        },
      });
    },
  });
  return {
    serving,
    stop: () => {
      serving(false);
      stopped = true;
      for (const watch of watches) watch.end();
    },
  };
}

/** Loaded by those who need it only: its protobuf loader takes 40 ms, and one process alone serves no gRPC. */
export const loadHealth = (): Promise<typeof import('grpc-health-check')> => import('grpc-health-check');
