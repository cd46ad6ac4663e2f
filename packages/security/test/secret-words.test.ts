import { isSecretArgument } from '@stopgo/security';
import { expect, test } from 'vitest';

test.each([
  ...[
    'password',
    'db_password',
    'DB_PASSWORD',
    'dbPassword',
    'db-password',
    'dbpassword',
    'passwords',
    'userPasswd',
    'smtp_pass',
  ],
  ...['api_token', 'apiTokens', 'accessToken', 'authtoken', 'token', 'X-Vault-Token', 'GITHUB_TOKEN', 'token2'],
  ...[
    'clientSecret',
    'aws_secret_access_key',
    'client.secret',
    'secrets',
    'awsAccessKeyId',
    'APIKey',
    'apiKeys',
    'openai_apikey',
  ],
  ...[
    'privateKey',
    'SSHKey',
    'storage_key',
    'Credentials',
    'dbCred',
    'basic_auth',
    'connectionString',
    'session cookie',
    'OTP',
  ],
  'ｐａｓｓｗｏｒｄ',
])('%s names a secret', (name) => expect(isSecretArgument(name)).toBe(true));

test.each([
  ...[
    'max_tokens',
    'maxTokens',
    'token_count',
    'totalTokens',
    'tokenizer',
    'key',
    'keys',
    'primary_key',
    'keyboard',
    'foreignKey',
  ],
  ...[
    'path',
    'pass_count',
    'author',
    'authors',
    'secretary',
    'address',
    'class',
    'compass',
    'string',
    'amount',
    'passenger',
    '',
  ],
])('%s names none', (name) => expect(isSecretArgument(name)).toBe(false));
