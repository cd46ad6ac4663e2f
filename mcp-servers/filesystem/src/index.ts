export { createCalls, type ExecuteCall } from './calls.ts';
export { createServer } from './server.ts';
