import { simulationPart } from './seeds.ts';

simulationPart(3, 4);
