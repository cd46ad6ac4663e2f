import { simulationPart } from './seeds.ts';

simulationPart(0, 4);
