import { simulationPart } from './seeds.ts';

simulationPart(1, 4);
