export { type ApprovalsDependencies, approvalsService } from './server.ts';
