export { type PeopleDependencies, peopleService } from './people/service.ts';
export { issueSetupKey } from './people/setup-key.ts';
export { type ApprovalsDependencies, approvalsService } from './server.ts';
