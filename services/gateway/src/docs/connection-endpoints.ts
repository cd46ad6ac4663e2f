import { begunConnection, connectionList, endedConnection, madeConnection } from '../api/connection.ts';
import { beginConnection, finishConnection } from '../api/connection-request.ts';
import { type Endpoint, errorExample, jsonType } from './endpoint.ts';

const away = {
  description: 'The tool bridge, or the authorization server, does not answer now.',
  example: errorExample('…'),
};
const unknown = {
  description: 'No account can be connected at a server of that name.',
  example: errorExample('no account can be connected at a server of that name; accounts are connected at notes'),
};

export const connectionEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/connections',
    summary: 'Connected accounts',
    description:
      'The tool servers at which users connect accounts of theirs (`auth: oauth`), and how the account of whoever asks is there. No token is ever shown.',
    responses: {
      '200': {
        schema: connectionList,
        description: 'The servers, in the order of the configuration.',
        example: {
          connections: [
            {
              server: 'notes',
              connected: true,
              issuer: 'https://login.example',
              scopes: ['notes.read'],
              connected_at: '2026-01-01T12:00:00.000Z',
            },
          ],
        },
      },
      '503': away,
    },
  },
  {
    method: 'POST',
    path: '/connections/:server',
    summary: 'Begin to connect an account',
    description:
      'Gives the address at which the user lets the platform use their account. The browser is led back with a code, within 10 minutes, to the one who began it: `POST /connections`, or `GET /connections/callback`, takes that.',
    request: { content_type: jsonType, schema: beginConnection, example: {} },
    responses: {
      '200': {
        schema: begunConnection,
        description: 'The address to open.',
        example: { url: 'https://login.example/auth?client_id=…', expires_at: '2026-01-01T12:10:00.000Z' },
      },
      '400': { description: 'Not such an address.', example: errorExample('"redirect_uri" must be an address') },
      '404': unknown,
      '409': {
        description: 'It cannot be connected: what the server says of its logins is not taken.',
        example: errorExample('the account at notes cannot be connected: …'),
      },
      '503': away,
    },
  },
  {
    method: 'POST',
    path: '/connections',
    summary: 'Finish connecting an account',
    description:
      'Connects the account with what the browser was led back with. It works once, for whoever began it. Runs of theirs that wait for this account go on by themselves.',
    request: {
      content_type: jsonType,
      schema: finishConnection,
      example: { state: '…', code: '…', iss: 'https://login.example' },
    },
    responses: {
      '200': {
        schema: madeConnection,
        description: 'It is connected.',
        example: { server: 'notes', connected: true },
      },
      '400': { description: 'Not what came back.', example: errorExample('"state" must be text') },
      '403': {
        description: 'Somebody else began it.',
        example: errorExample('somebody else began to connect this account; sign in as the one who did, or begin anew'),
      },
      '409': {
        description: 'It was used already, took too long, or was refused there.',
        example: errorExample('This has been used already, or the account was changed since; begin anew'),
      },
      '503': away,
    },
  },
  {
    method: 'GET',
    path: '/connections/callback',
    summary: 'Come back from an authorization server',
    description: 'The same for a browser that is led here: a page says what became of it.',
    responses: {
      '200': { content_type: 'text/html', description: 'It is connected.', example: '<!doctype html>…' },
      '400': { content_type: 'text/html', description: 'It is not, and why.', example: '<!doctype html>…' },
      '503': { content_type: 'text/html', description: 'Something does not answer now.', example: '<!doctype html>…' },
    },
  },
  {
    method: 'DELETE',
    path: '/connections/:server',
    summary: 'Disconnect an account',
    description:
      'Destroys the key that the tokens of this account are sealed with, and tells the authorization server that they are not used any more.',
    responses: {
      '200': {
        schema: endedConnection,
        description: 'It is not connected.',
        example: { server: 'notes', was_connected: true },
      },
      '404': unknown,
      '503': away,
    },
  },
];
