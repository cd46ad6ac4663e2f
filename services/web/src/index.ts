/** The web app: what serves its pages, and passes their requests on to the gateway. */

export { buildWhereNeeded } from './build.ts';
export { loadWebConfig, parseWebConfig, type WebConfig, webDefaults } from './config.ts';
export type { LoginConfig } from './login/config.ts';
export { type Login, loginOf } from './login/secrets.ts';
export { type StartedWeb, startWeb, type WebOptions } from './server.ts';
