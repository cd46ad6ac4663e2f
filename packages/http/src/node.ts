/** What a server of ours does whatever it serves, and whatever it is made with: nothing here needs more than Node and the rules of @stopgo/security. */
export { type BrowserRules, foreignCheck } from './foreign.ts';
export { gracefulStop } from './graceful-stop.ts';
export { httpUrl, listen, listenError } from './listen.ts';
