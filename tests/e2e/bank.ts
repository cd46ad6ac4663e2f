import type { HttpTools } from './http-tools.ts';
import type { Workplace } from './platform.ts';

/** The configuration of an agent with one tool server, `bank`; `more`: further lines of YAML. */
export const bankConfig = (place: Workplace, tools: HttpTools, more: string): string => `
host: 127.0.0.1
port: 0
data_dir: ${JSON.stringify(place.dataDir)}
mcp_servers: [{ name: bank, url: ${JSON.stringify(tools.url)} }]
${more}`;

/** Lines of a configuration with which people sign in by tokens (see `jwtTaken`), and are users from their first one on. */
export const signsIn = (jwt: string): string => `
auth:
  new_users: first_login
  jwt: ${jwt}
`;
