/** What the agents of a run share, for those who do what their calls ask for. */
export { dataRequestOf, writtenValueOf } from '../calls/data.ts';
export type { RunData } from '../state/run-data.ts';
export { runDataAnswerBytesMax } from '../text/bounds.ts';
export { valuesNeeded } from './decide-data.ts';
export { toldState } from './told-state.ts';
