import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  type Actor,
  type Connection,
  invalidArgument,
  type Principal,
  principalKey,
  requireAllowed,
} from '@stopgo/core';
import type { mcp } from '@stopgo/proto';
import type { ServiceImpl } from '@stopgo/rpc';
import type { Accounts } from './accounts.ts';

/** Longest text that comes back from an authorization server through a browser, in characters. */
const cameBackCharactersMax = 8_192;

/** What users do with accounts, each with their own: whoever asks is the one whose account it is. */
export function accountsService(accounts: Accounts): ServiceImpl<typeof mcp.AccountsService> {
  return {
    async listConnections(_, { principal }) {
      requireAllowed(principal, 'connection.list');
      const user = principalKey(principal);
      const states = accounts.servers.map(async (server) => stateMessage(server, await accounts.stateOf(user, server)));
      return { connections: await Promise.all(states) };
    },

    async beginConnection({ server, redirectUri }, { principal }) {
      requireAllowed(principal, 'connection.change');
      if (!URL.canParse(redirectUri)) throw invalidArgument('redirect_uri: an address is required');
      const { url, until } = await accounts.begin(principalKey(principal), server, redirectUri);
      return { url, expiresAt: timestampFromMs(until) };
    },

    async finishConnection({ state, code, issuer, error }, { principal }) {
      requireAllowed(principal, 'connection.change');
      if ([state, code, issuer, error].some(({ length }) => length > cameBackCharactersMax))
        throw invalidArgument(`what came back is longer than ${cameBackCharactersMax} characters`);
      return {
        server: await accounts.finish(principalKey(principal), state, { code, issuer, error }, actorOf(principal)),
      };
    },

    async disconnect({ server }, { principal }) {
      requireAllowed(principal, 'connection.change');
      return { wasConnected: await accounts.disconnect(principalKey(principal), server, actorOf(principal)) };
    },
  };
}

function actorOf(principal: Principal): Actor {
  if (principal.kind !== 'user') return { kind: 'user', id: 'anonymous' };
  return { kind: 'user', id: principal.email, principal: principalKey(principal) };
}

function stateMessage(server: string, { account, problem = '' }: Connection) {
  if (account === undefined) return { server, connected: false, problem };
  const { issuer, scopes, connectedAt } = account;
  return { server, connected: true, issuer, scopes: [...scopes], connectedAt: timestampFromMs(connectedAt) };
}
