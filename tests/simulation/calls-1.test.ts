import { simulationPart } from './seeds.ts';

simulationPart(0, 2, { calls: true });
