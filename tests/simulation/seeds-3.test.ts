import { simulationPart } from './seeds.ts';

simulationPart(2, 4);
