import type { OpenWait } from '@stopgo/log';
import type { ModelOutcome, ModelPort, ModelRequest } from '../../models/port.ts';
import type { DriverPorts } from './ports.ts';

/** The run that asks a model. */
export type AskingRun = {
  readonly conversationId: string;
  readonly runId: string;
  readonly ports: Pick<DriverPorts, 'waits'>;
};

/** Begins a wait of a run for a model, for this reason. */
export function waitForModel(
  { conversationId, runId, ports }: AskingRun,
  { model }: Pick<ModelRequest, 'model'>,
  reason: string,
): OpenWait {
  return ports.waits.begin({ conversationId, runId, kind: 'model', name: model, reason });
}

/** Asks a model; while it is to be asked again the run is told so. Rejects as `generate` does. */
export async function generateTold(
  run: AskingRun,
  model: ModelPort,
  request: ModelRequest,
  call: Pick<Parameters<ModelPort['generate']>[1], 'signal' | 'onDelta' | 'onRestart'>,
): Promise<ModelOutcome> {
  let wait: OpenWait | undefined;
  const onRetry = (reason: string, inMs: number): void => {
    wait ??= waitForModel(run, request, reason);
    wait.tries(inMs);
  };
  try {
    return await model.generate(request, { ...call, onRetry });
  } finally {
    wait?.end();
  }
}
