export type { AgentFile } from './agent-file.ts';
export { canonicalName, defineAgentFile, type Surroundings } from './define.ts';
export { type AgentFormat, type AgentPlace, candidatePaths, nameOfPath, type PathReading } from './place.ts';
export { type Problem, type ProblemKind, problemLine } from './problem.ts';
export { type AgentReading, readAgentFile } from './read.ts';
