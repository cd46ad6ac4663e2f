import { Approvals } from './approvals.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { Conversations } from './conversations.ts';
import { type AnswerOf, call, type InputOf, type OperationName } from './operations.ts';

/** What talks to one platform. */
export type Client = {
  readonly conversations: Conversations;
  readonly approvals: Approvals;
  /** Anything else that the API describes, such as `call('GET /tools')`. */
  readonly call: <Name extends OperationName>(
    name: Name,
    ...input: Record<string, never> extends InputOf<Name> ? [InputOf<Name>?] : [InputOf<Name>]
  ) => Promise<AnswerOf<Name>>;
  /** What all of them ask through. */
  readonly connection: Connection;
};

/** Nothing is asked before something is asked for. @throws TypeError if the address holds a name or a password. */
export function createClient(options: ConnectionOptions): Client {
  const connection = new Connection(options);
  return {
    connection,
    conversations: new Conversations(connection),
    approvals: new Approvals(connection),
    call: (name, ...[input]) => call(connection, name, (input ?? {}) as InputOf<typeof name>),
  };
}
