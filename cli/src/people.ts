import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { peopleService } from '@stopgo/approvals';
import { DomainError, roleFromWire, roleNamed, roles, roleToWire, visibleLine } from '@stopgo/core';
import { envelope, people, store } from '@stopgo/proto';
import { type Client, connectGrpc, createGrpcClient, createInProcessClient } from '@stopgo/rpc';
import { startStore } from '@stopgo/store';
import { dataDirOf, explainStoreError, type LogSource, logOnErrors } from './inspect/open-store.ts';
import { peopleDependencies } from './parts/approvals.ts';
import { readInternalToken, variablesOf } from './services/internal-token.ts';

/** Who is to be made a user. */
export type NewUser = { readonly email: string; readonly name: string; readonly role: string | undefined };

/**
 * Makes a user on the record itself: of a platform that does not run, or through the store of separate services. Whoever can do that is
 * who operates it; nobody signs in for it.
 *
 * @throws Error in one line.
 */
export async function createUserOnRecord(
  source: LogSource,
  { email, name, role: wanted = 'USER' }: NewUser,
  host: NodeJS.Process,
  print: (line: string) => void,
): Promise<void> {
  const role = roleNamed(wanted);
  if (role === undefined) throw new Error(`--role takes ${roles.join(', ')}, not "${visibleLine(wanted)}"`);
  const opened = await openToWrite(source, host);
  try {
    const service = peopleService(peopleDependencies(`cli-${randomUUID()}`, opened.client));
    const client = createInProcessClient(people.PeopleService, service, { onInternalError: () => undefined });
    const actor = { kind: envelope.ActorKind.USER, id: 'operator', surface: 'cli' };
    const made = { email, name, role: roleToWire(role), actor, withApiKey: true };
    const { user, apiKeyText } = await client.createUser(made);
    if (user === undefined) throw new Error('the user was made, and is not shown');
    print(`${user.email} is ${roleFromWire(user.role)}, with the id ${user.id}`);
    print(`API key, shown this once: ${apiKeyText}`);
  } catch (error) {
    throw source.store === undefined ? error : explainStoreError(error, source.store);
  } finally {
    await opened.close();
  }
}

async function openToWrite(
  source: LogSource,
  host: NodeJS.Process,
): Promise<{ readonly client: Client<typeof store.StoreService>; readonly close: () => Promise<void> }> {
  if (source.store !== undefined) {
    const internalToken = readInternalToken(variablesOf(host.env), (path) => readFileSync(path, 'utf8'));
    const channel = connectGrpc(source.store, internalToken === undefined ? {} : { internalToken });
    return { client: createGrpcClient(store.StoreService, channel), close: async () => channel.close() };
  }
  const dataDir = source.dataDir ?? dataDirOf(source.config);
  const running = await startStore({ dataDir, log: logOnErrors(host) }).catch((error: unknown) => {
    if (!(error instanceof DomainError) || error.kind !== 'failed_precondition') throw error;
    throw new Error(
      `${error.message}; a platform that runs has its own way: the key in the file setup-key, or POST /users`,
      {
        cause: error,
      },
    );
  });
  return { client: createInProcessClient(store.StoreService, running.service), close: running.stop };
}
