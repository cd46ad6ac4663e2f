import { simulationPart } from './seeds.ts';

simulationPart(0, 2, { delegates: true });
