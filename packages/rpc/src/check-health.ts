import { type ServiceError, status } from '@grpc/grpc-js';
import { unavailable } from '@stopgo/core';
import { connectGrpc, type GrpcChannel } from './grpc-channel.ts';
import { loadHealth } from './grpc-health.ts';
import { domainErrorOfStatus } from './grpc-status.ts';

/**
 * Asks the gRPC server at `address` whether it is ready to work (grpc.health.v1). Needs no internal token. Of several
 * addresses it asks one.
 *
 * @throws DomainError `unavailable` if nobody answers within `timeoutMs` milliseconds; another kind if the answer is no
 * health, as that of a server without the health service. Error if the address is malformed.
 */
export async function checkHealth(address: string, timeoutMs: number): Promise<'serving' | 'not_serving'> {
  const channel = connectGrpc(address);
  try {
    const answer = await check(channel, timeoutMs);
    return 'status' in answer && answer.status === 'SERVING' ? 'serving' : 'not_serving';
  } finally {
    channel.close();
  }
}

async function check({ grpc, address }: GrpcChannel, timeoutMs: number): Promise<object> {
  const { Check: method } = (await loadHealth()).service;
  if (method === undefined) throw new Error('the health service has no Check');
  const { path, requestSerialize, responseDeserialize } = method;
  return new Promise((resolve, reject) => {
    const answered = (error: ServiceError | null, answer?: object) => {
      if (answer !== undefined) resolve(answer);
      else if (error?.code === status.DEADLINE_EXCEEDED) {
        reject(unavailable(`${address} did not answer a health check within ${timeoutMs} ms`));
      } else if (error?.code === status.UNAVAILABLE)
        reject(unavailable(`no answer from ${address}: ${lastErrorOf(error.details)}`));
      else reject(error === null ? error : domainErrorOfStatus(error, path, address));
    };
    grpc.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      {},
      { deadline: Date.now() + timeoutMs },
      answered,
    );
  });
}

/** Of "round_robin: No connection established. Last error: … Resolution note: …", the words that say why. */
function lastErrorOf(details: string): string {
  const [reason = ''] = details.split(/\s*Resolution note:/, 1);
  const [last = ''] = reason.split('Last error: ').slice(-1);
  return last.replace(/^Error: /, '').trim() || details;
}
