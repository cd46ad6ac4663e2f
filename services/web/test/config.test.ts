import { describe, expect, test } from 'vitest';
import { loadWebConfig, parseWebConfig } from '../src/config.ts';
import type { LoginConfig } from '../src/login/config.ts';
import { loginOf } from '../src/login/secrets.ts';

test('a configuration needs to say where the platform is, and nothing else', () => {
  expect(parseWebConfig('agent_url: http://127.0.0.1:8080/', 'web.yaml')).toEqual({
    ...{ agentUrl: 'http://127.0.0.1:8080', host: '0.0.0.0', port: 3000, allowedHosts: [] },
  });
  const whole = 'agent_url: https://a.example/p\nhost: 127.0.0.1\nport: 0\nallowed_hosts: [chat.example]';
  expect(parseWebConfig(whole, 'web.yaml')).toEqual({
    ...{ agentUrl: 'https://a.example/p', host: '127.0.0.1', port: 0, allowedHosts: ['chat.example'] },
  });
});

test.each([
  ['', 'agent_url is required in web config'],
  ['port: 80', 'agent_url is required in web config'],
  ['agent_url: ftp://x', 'agent_url must be the URL of a platform, such as http://127.0.0.1:8080'],
  ['agent_url: http://me:secret@x', 'agent_url must hold no user name and no password'],
  ['agent_url: http://x\nport: 70000', 'port must be a whole number from 0 to 65535'],
  ['agent_url: http://x\nport: "80"', 'port must be a whole number from 0 to 65535'],
  ['agent_url: http://x\nhost: 7', 'host must be an address or a name'],
  ['agent_url: http://x\nallowed_hosts: x', 'allowed_hosts must be a list of names'],
  ['agent_urls: http://x', 'unknown key "agent_urls"; did you mean "agent_url"?'],
])('%j is refused', (text, problem) => {
  expect(() => parseWebConfig(text, 'web.yaml')).toThrow(`web.yaml: ${problem}`);
});

test('a file that is not there, or is no YAML, is told by its name', () => {
  expect(() => loadWebConfig('/nowhere/web.yaml')).toThrow(/^failed to read config file: .*\/nowhere\/web\.yaml/);
  expect(() => parseWebConfig('a: [', 'web.yaml')).toThrow(/^failed to parse config file: web\.yaml: /);
  expect(() => parseWebConfig('- a', 'web.yaml')).toThrow(/^failed to parse config file: web\.yaml: it must hold keys/);
});

describe('a login', () => {
  const login = (lines: string) => parseWebConfig(`agent_url: http://x\nlogin:\n${lines}`, 'web.yaml').login;
  const needed =
    '  issuer: https://id.example/realm\n  client_id: web\n  session_key_env: KEY\n  public_url: https://chat.example/\n';

  test('needs few things, and takes an access token to the gateway', () => {
    expect(login(needed)).toEqual({
      ...{ issuer: 'https://id.example/realm', name: 'id.example', clientId: 'web', clientSecretVariable: undefined },
      ...{ sessionKeyVariable: 'KEY', scopes: ['openid', 'email', 'profile'], token: 'access_token' },
      ...{ resource: undefined, publicUrl: 'https://chat.example', sessionMs: 43_200_000 },
    });
    expect(
      login(
        `${needed}  token: id_token\n  session_for: 30m\n  name: Example\n  scopes: [openid, offline_access]\n  client_secret_env: SECRET`,
      ),
    ).toMatchObject({ token: 'id_token', sessionMs: 1_800_000, name: 'Example', clientSecretVariable: 'SECRET' });
  });

  test('with several problems is told of all of them, each by its place', () => {
    const text =
      'agent_url: http://x\nport: x\nlogin:\n  issuer: http://id.example\n  client_secret: hush\n  scopes: [email]\n  token: any\n  public_url: https://chat.example/below\n  session_for: 1s\n  session_key_env: the-key';
    const problems = messageOf(() => parseWebConfig(text, 'web.yaml')).split('\n');
    expect(problems).toEqual([
      'web.yaml: login.client_secret must not stand in the file; put it into the environment, and name the variable in client_secret_env',
      'web.yaml: login.issuer must be an https URL; http is taken on this machine only',
      'web.yaml: login.client_id is required: what your identity provider calls this app',
      'web.yaml: login.session_key_env must be the name of an environment variable, in capital letters, digits and _ (never the secret itself)',
      'web.yaml: login.scopes must hold "openid": without it nobody says who signed in',
      'web.yaml: login.token must be access_token or id_token: what the gateway is shown',
      'web.yaml: login.public_url must be without a path: the app is at the top of its host',
      'web.yaml: login.session_for must be a duration from 5m to 720h',
      'web.yaml: port must be a whole number from 0 to 65535',
    ]);
  });

  test.each([
    ['  - x', 'login must hold keys and values, such as "issuer: …"'],
    [
      needed.replace('https://id.example/realm', 'https://me:secret@id.example'),
      'login.issuer must be without user name',
    ],
    [needed.replace('https://chat.example/', 'http://10.0.0.1'), 'login.public_url must be an https URL'],
    [needed.replace('session_key_env: KEY', 'x: 1'), 'login.session_key_env is required'],
    [`${needed}  issuers: x`, 'login.issuers is unknown; did you mean "issuer"?'],
    [`${needed}  scopes: [openid, "a b"]`, 'login.scopes must be a list of scopes'],
    [`${needed}  name: "a\\nb"`, 'login.name must be a text of one line'],
  ])('%j is refused', (lines, problem) => {
    expect(messageOf(() => login(lines))).toContain(`web.yaml: ${problem}`);
  });

  test('takes plain http on this machine alone', () => {
    expect(login(needed.replace('https://id.example/realm', 'http://[::1]:9/'))?.issuer).toBe('http://[::1]:9/');
  });

  test('has its secrets from the environment, and tells what is missing of them without repeating any', () => {
    const config = { ...login(needed), clientSecretVariable: 'SECRET' } as LoginConfig;
    const key = 'ab'.repeat(32);
    expect(loginOf(config, { SECRET: ' hush ', KEY: ` ${key}  ${'cd'.repeat(32)}` })).toMatchObject({
      clientSecret: 'hush',
      sealers: [{}, {}],
      secrets: ['hush', key, 'cd'.repeat(32)],
    });
    expect(messageOf(() => loginOf(config, {})).split('\n')).toEqual([
      expect.stringMatching(/^web\.yaml: login\.client_secret_env: SECRET must hold .* and is not set$/),
      expect.stringMatching(/^web\.yaml: login\.session_key_env: KEY must hold 64 hexadecimal digits.* it is not set$/),
    ]);
    for (const wrong of [key.slice(1), `${key} ${key} ${key}`, `${key} x`]) {
      const said = messageOf(() => loginOf(config, { SECRET: 'hush', KEY: wrong }));
      expect(said).toMatch(/it holds something else$/);
      expect(said).not.toContain(wrong);
    }
  });
});

function messageOf(throwing: () => unknown): string {
  try {
    throwing();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error('it was taken');
}
