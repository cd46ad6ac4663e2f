import { afterEach, describe, vi } from 'vitest';
import type { OnInternalError } from '../src/index.ts';
import { callContract } from './call.contract.ts';
import { type EchoImpl, echoImpl, type Opened, type Transport } from './echo.ts';
import { errorContract } from './error.contract.ts';
import { streamContract } from './stream.contract.ts';

/** What every transport promises. `open` gives a client of `impl` as one of our own services sees it. */
export function transportContract(
  name: string,
  open: (impl: EchoImpl, onInternalError: OnInternalError) => Promise<Opened>,
): void {
  describe(`transport: ${name}`, () => {
    const opened: Opened[] = [];
    const onInternalError = vi.fn<OnInternalError>();
    const transport: Transport = {
      connect: async (parts) => {
        const connection = await open(echoImpl(parts), onInternalError);
        opened.push(connection);
        return connection.client;
      },
      onInternalError,
    };
    afterEach(async () => {
      for (const connection of opened.splice(0)) await connection.close();
      onInternalError.mockReset();
    });

    callContract(transport);
    streamContract(transport);
    errorContract(transport);
  });
}
