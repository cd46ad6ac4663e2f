import { inputPage } from '../api/input.ts';
import { listInputs } from '../api/query.ts';
import { type Endpoint, errorExample } from './endpoint.ts';
import { inputExample } from './examples.ts';

export const inputEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/inputs',
    query: listInputs,
    summary: 'List what people are asked',
    description:
      'What tool servers and agents ask people, of all conversations that whoever asks may see: those that wait longest first. Each is answered at its conversation. Parameters: status (pending: all that is listed), limit (1 to 1000, default 100; a page ends with the conversation that reaches it, of which it has all), cursor. A list may lag behind what was just recorded.',
    responses: {
      '200': {
        schema: inputPage,
        description: 'A page; next_cursor is absent on the last one.',
        example: { inputs: [inputExample], total: 1 },
      },
      '400': { description: 'A parameter is malformed.', example: errorExample('"status" must be one of …') },
    },
  },
];
