// What the prompts of the agents that are read here list.
export { agentsInPrompt, type CallableAgent } from '@stopgo/core';
export type { AgentFile } from './agent-file.ts';
export { canonicalName, defineAgentFile, type Surroundings } from './define.ts';
export { type Candidate, type Gathered, gatherAgents } from './gather.ts';
export { nameProblem } from './names.ts';
export { type AgentFormat, type AgentPlace, candidatePaths, nameOfPath, type PathReading } from './place.ts';
export { printAgentFile } from './print.ts';
export { type Problem, type ProblemKind, problemLine } from './problem.ts';
export { type AgentReading, type FileText, readAgentFile } from './read.ts';
