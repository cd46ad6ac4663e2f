import { simulationPart } from './seeds.ts';

simulationPart(1, 2, { calls: true });
