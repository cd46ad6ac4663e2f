import { agentScenarios } from './agents.ts';
import { askingScenarios } from './asking.ts';
import { demandingScenarios } from './demanding.ts';

/** Scenarios that have files of their own. */
export const furtherScenarios = { ...agentScenarios, ...askingScenarios, ...demandingScenarios };
