import { type ServiceError, status } from '@grpc/grpc-js';
import { DomainError, unavailable } from '@stopgo/core';
import { connectGrpc, type GrpcChannel } from './grpc-channel.ts';
import { loadHealth } from './grpc-health.ts';
import { domainErrorOfStatus, isStatus } from './grpc-status.ts';
import { CallLifetime } from './lifetime.ts';
import { callOptionsOf } from './unary-call.ts';

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

async function check({ unary, address }: GrpcChannel, timeoutMs: number): Promise<object> {
  const { Check: method } = (await loadHealth()).service;
  if (method === undefined) throw new Error('the health service has no Check');
  const { path, requestSerialize, responseDeserialize } = method;
  const lifetime = new CallLifetime({ path, deadline: Date.now() + timeoutMs, timer: true });
  try {
    const { client } = await unary.pick(lifetime);
    return await new Promise<object>((resolve, reject) => {
      const answered = (error: ServiceError | null, answer?: object) => {
        if (answer === undefined) reject(error);
        else resolve(answer);
      };
      const options = callOptionsOf(lifetime);
      client.makeUnaryRequest(path, requestSerialize, responseDeserialize, {}, options, answered);
    });
  } catch (error) {
    if (isDeadline(error)) throw unavailable(`${address} did not answer a health check within ${timeoutMs} ms`);
    if (!isStatus(error)) throw error;
    if (error.code === status.UNAVAILABLE)
      throw unavailable(`no answer from ${address}: ${lastErrorOf(error.details)}`);
    throw domainErrorOfStatus(error, path, address);
  } finally {
    lifetime.end();
  }
}

const isDeadline = (error: unknown): boolean =>
  error instanceof DomainError
    ? error.kind === 'deadline_exceeded'
    : isStatus(error) && error.code === status.DEADLINE_EXCEEDED;

/** Of "No connection established. Last error: … Resolution note: …", the words that say why. */
function lastErrorOf(details: string): string {
  const [reason = ''] = details.split(/\s*Resolution note:/, 1);
  const [last = ''] = reason.split('Last error: ').slice(-1);
  return last.replace(/^Error: /, '').trim() || details;
}
