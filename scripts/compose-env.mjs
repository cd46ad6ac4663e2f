// `npm run compose:env`: writes what docker-compose.yaml needs and nobody should choose by hand into `.env`, readable by
// its owner only. What the file already holds stays as it is. `-- --demo` adds the offline model, so that no API key is
// needed; `-- --file FILE` writes another file.
import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { flagsOf } from './flags.mjs';
import { root } from './processes.mjs';

const SECRET_BYTES = 32;
const OWNER_ONLY = 0o600;

const values = flagsOf('usage: npm run compose:env -- [--demo] [--file FILE]', {
  demo: { type: 'boolean', default: false },
  file: { type: 'string', default: join(root, '.env') },
});
const file = resolve(values.file);

/** Hexadecimal: stands in a URL and in the configuration of NATS without being quoted. */
const secret = () => randomBytes(SECRET_BYTES).toString('hex');

/** What each service proves with which one it is. */
const services = ['gateway', 'orchestrator', 'approvals', 'mcp-bridge', 'registry', 'store'];
const tokens = services.map((service, index) => ({
  name: `STOPGO_TOKEN_${service.toUpperCase().replaceAll('-', '_')}`,
  value: secret,
  ...(index === 0 ? { about: 'With which each service proves to the others which one it is.' } : {}),
}));

const secrets = [
  ...tokens,
  {
    name: 'STOPGO_PUSH_KEY',
    value: secret,
    about:
      'With which orchestrators seal what addresses of notifications are shown. Keep it: nothing else opens that again.',
  },
  {
    name: 'STOPGO_ACCOUNT_KEY',
    value: secret,
    about:
      'With which bridges seal what accounts at tool servers are used with. Keep it: without it all are connected anew.',
  },
  { name: 'NATS_PASSWORD', value: secret, about: 'With which the store enters the event log.' },
];
/** What is published is for people who sign in; a demo is for who tries it on this machine. */
const requireAuth = {
  name: 'STOPGO_REQUIRE_AUTH',
  value: () => 'true',
  about: 'Without auth in the configuration the gateway refuses to start. For a trial: false.',
};
const demo = [
  { name: 'COMPOSE_PROFILES', value: () => 'demo', about: 'The offline model answers, and no key is needed.' },
  { name: 'STOPGO_OFFLINE_MODEL', value: () => 'http://offline-model:8091' },
];

const had = existsSync(file) ? readFileSync(file, 'utf8') : '';
const has = ({ name }) => new RegExp(`^[ \\t]*(export[ \\t]+)?${name}[ \\t]*=[ \\t]*[^ \\t\\r\\n]`, 'm').test(had);
/** The last of several lines counts, as for compose. */
const valueIn = (text, name) =>
  [...text.matchAll(new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=[ \\t]*(\\S+)`, 'gm'))].at(-1)?.[1] ?? '';
const missing = [...secrets, ...(values.demo ? demo : [requireAuth])].filter((entry) => !has(entry));
const lines = missing.flatMap(({ name, value, about }) => [
  ...(about === undefined ? [] : [`# ${about}`]),
  `${name}=${value()}`,
]);
const written = `${had}\n${lines.join('\n')}`;
const digest = (text) => createHash('sha256').update(text).digest('hex');
const peers = services.map((service, index) => `${service}=${digest(valueIn(written, tokens[index].name))}`).join(',');
// Follows from the tokens: it is written anew where one of them is another one now.
if (valueIn(had, 'STOPGO_INTERNAL_PEERS') !== peers) {
  missing.push({ name: 'STOPGO_INTERNAL_PEERS' });
  lines.push('# By which tokens they know each other: SHA-256 of each.', `STOPGO_INTERNAL_PEERS=${peers}`);
}
const separator = had === '' || had.endsWith('\n') ? '' : '\n';
if (lines.length > 0) appendFileSync(file, `${separator}${lines.join('\n')}\n`, { mode: OWNER_ONLY });
chmodSync(file, OWNER_ONLY);
console.log(
  missing.length === 0
    ? `${file}: nothing was missing`
    : `${file}: added ${missing.map(({ name }) => name).join(', ')}`,
);
