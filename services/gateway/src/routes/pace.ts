import { explained, resumed } from '../api/run-request.ts';
import { type Control, controls } from './control.ts';
import type { Route, RouteDependencies } from './route.ts';

const pause: Control = {
  path: '/runs/:id/pause',
  action: 'run.pause',
  body: explained,
  ask: (orchestrator, { wait: _, ...asked }, { reason }, options) =>
    orchestrator.pauseRun({ ...asked, reason }, options),
};

const resume: Control = {
  path: '/runs/:id/resume',
  action: 'run.resume',
  body: resumed,
  waits: true,
  ask: (orchestrator, asked, { limits }, options) => orchestrator.unpauseRun({ ...asked, limits }, options),
};

/** What pauses the latest run of a conversation, whose id names the run, and has it go on. */
export const paceRoutes = (deps: RouteDependencies): readonly Route[] =>
  [pause, resume].map((one) => ({ method: 'POST', path: one.path, handle: controls(deps, one) }));
