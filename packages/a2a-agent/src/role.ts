import { type Message, RequestMalformedError, Role } from './protocol.ts';

/**
 * Refuses a message from a peer that the user does not say. `role` is required in each version (0.3: section 6.4; 1.0: `Message.role`,
 * whose default ROLE_UNSPECIFIED says that none was sent); ROLE_AGENT is for what the server sends.
 *
 * @throws A2AError that names `message.role`.
 */
export function requireUserRole({ role }: Pick<Message, 'role'>): void {
  if (role === Role.ROLE_USER) return;
  if (role === Role.ROLE_AGENT)
    throw new RequestMalformedError('message.role is of the agent; use the role of the user');
  if (role === Role.ROLE_UNSPECIFIED)
    throw new RequestMalformedError('message.role is missing; send the role of the user');
  throw new RequestMalformedError('message.role is no role that is known; use the role of the user');
}
