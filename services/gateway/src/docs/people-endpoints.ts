import { changeUser, createUser, issueKey } from '../api/people-request.ts';
import { createdUser, issuedKey, keyAnswer, keyPage, me, userAnswer, userPage } from '../api/person.ts';
import { pageOnly } from '../api/query.ts';
import { type Endpoint, errorExample, jsonType } from './endpoint.ts';

const user = {
  id: '5b8c1c1e-4c0b-4f7a-9a51-0d2f1f5e7a10',
  email: 'ana@example.com',
  name: 'Ana',
  role: 'USER',
  active: true,
  groups: ['finance'],
  created_at: '2026-11-26T09:00:00.000Z',
  last_login_at: null,
};
const key = {
  id: '0c6f4a3e-6c1f-4a49-8f55-3b1f6ac0c0de',
  name: 'ci',
  prefix: 'sgo_x7Qp',
  scopes: ['read'],
  created_at: '2026-11-26T09:00:00.000Z',
  expires_at: '2027-01-31T12:00:00.000Z',
  revoked_at: null,
  last_used_at: null,
};
const forbidden = {
  description: 'Your role, or the scopes of your API key, do not allow it.',
  example: errorExample('your role USER does not allow this: user.create'),
};
const notThere = { description: 'No such user, or not yours to see.', example: errorExample('there is no user …') };

export const peopleEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/me',
    summary: 'Who you are here',
    description: 'The user that your token or API key is of, with the groups and scopes that count for this request.',
    responses: {
      '200': { schema: me, description: 'You.', example: { user, via: 'token' } },
      '401': { description: 'Sign in first.', example: errorExample('sign in first: …') },
    },
  },
  {
    method: 'GET',
    path: '/users',
    query: pageOnly,
    summary: 'Users',
    description: 'All users in the order in which they were made, in pages (limit, cursor). For administrators.',
    responses: {
      '200': { schema: userPage, description: 'A page.', example: { users: [user], total: 1 } },
      '403': forbidden,
    },
  },
  {
    method: 'POST',
    path: '/users',
    summary: 'Create a user',
    description:
      'Creates a user. Only a SUPER_ADMIN makes administrators. With the key that a new platform is set up with, the first user is made, and given an API key; the other one ends.',
    request: {
      content_type: jsonType,
      schema: createUser,
      example: { email: 'ana@example.com', name: 'Ana' },
    },
    responses: {
      '201': { schema: createdUser, description: 'Created.', example: { user } },
      '403': forbidden,
      '409': {
        description: 'Somebody has this address.',
        example: errorExample('there is a user with the e-mail address ana@example.com already'),
      },
    },
  },
  {
    method: 'GET',
    path: '/users/:user',
    summary: 'A user',
    description: 'Everybody may look at themselves; administrators at all.',
    responses: { '200': { schema: userAnswer, description: 'The user.', example: { user } }, '404': notThere },
  },
  {
    method: 'PATCH',
    path: '/users/:user',
    summary: 'Change a user',
    description:
      'Changes name, role or activity. Tokens and API keys of a user who is not active are refused from then on. For administrators.',
    request: {
      content_type: jsonType,
      schema: changeUser,
      example: { active: false },
    },
    responses: {
      '200': { schema: userAnswer, description: 'As the user is now.', example: { user: { ...user, active: false } } },
      '403': forbidden,
    },
  },
  {
    method: 'GET',
    path: '/users/:user/keys',
    query: pageOnly,
    summary: 'API keys of a user',
    description: 'Without their texts, which nobody has; the prefix tells them apart.',
    responses: { '200': { schema: keyPage, description: 'The keys.', example: { keys: [key] } }, '404': notThere },
  },
  {
    method: 'POST',
    path: '/users/:user/keys',
    summary: 'Issue an API key',
    description:
      'Makes a key of your own, or as a SUPER_ADMIN the first one of somebody who has never signed in. Its text is in this answer and nowhere else. With a key, none is made that may more or ends later. Scopes say what may be done with it of what its user may: read, converse, approve, admin; none is all.',
    request: {
      content_type: jsonType,
      schema: issueKey,
      example: { name: 'ci', scopes: ['read'], expires_at: '2027-01-31T12:00:00Z' },
    },
    responses: {
      '201': {
        schema: issuedKey,
        description: 'The key, this once.',
        example: {
          key: { ...key, text: 'sgo_x7Qp…' },
          note: 'this is the only time that the text of the key is shown',
        },
      },
      '403': forbidden,
    },
  },
  {
    method: 'DELETE',
    path: '/users/:user/keys/:key',
    summary: 'Revoke an API key',
    description: 'It is refused from then on. To revoke one again changes nothing.',
    responses: {
      '200': {
        schema: keyAnswer,
        description: 'Revoked.',
        example: { key: { ...key, revoked_at: '2026-11-26T10:00:00.000Z' } },
      },
      '404': notThere,
    },
  },
];
