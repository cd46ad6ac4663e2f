import { createInProcessClient } from '../src/index.ts';
import { EchoService } from './gen/stopgo/testing/v1/echo_pb.ts';
import { transportContract } from './transport.contract.ts';

transportContract('in process', async (impl, onInternalError) => ({
  client: createInProcessClient(EchoService, impl, { onInternalError }),
  close: async () => undefined,
}));
