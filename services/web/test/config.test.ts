import { expect, test } from 'vitest';
import { loadWebConfig, parseWebConfig } from '../src/config.ts';

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
