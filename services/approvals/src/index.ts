export type { ApprovalsDependencies } from './dependencies.ts';
export { type PeopleDependencies, peopleService } from './people/service.ts';
export { issueSetupKey } from './people/setup-key.ts';
export { approvalsService } from './server.ts';
