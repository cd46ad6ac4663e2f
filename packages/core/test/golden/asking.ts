import { uuidFrom } from '@stopgo/core';
import { approvals } from '@stopgo/proto';
import { by, dawn, type Happening } from '../specification.ts';
import {
  answered,
  call,
  claim,
  decided,
  drove,
  modelAnswers,
  opened,
  provides,
  returns,
  said,
  samplingQuestion,
  serverAsks,
  serverQuestion,
  starts,
  takesOver,
  unknown,
} from '../story.ts';

const { DecisionKind } = approvals;

const id = 'root#1.0';
const inputOf = (count: number) => uuidFrom('input', 'run-1', id, String(count));
const noteUnderWay = [
  by('anonymous', opened),
  by('anonymous', said('note it')),
  answered({ calls: [call('note')] }),
  drove([starts(id)]),
];
const done = answered({ text: 'It is done.' });

/** What tool servers ask in the midst of calls. */
export const askingScenarios: Readonly<Record<string, readonly Happening[]>> = {
  'asked-in-a-call': [
    ...noteUnderWay,
    drove([serverAsks(id)]),
    by('ada', provides(id, 'accept', '{"amount":3}')),
    drove([serverAsks(id, [])]),
    drove([returns(id, 'noted 3')]),
    done,
  ],
  'model-asked-in-a-call': [
    ...noteUnderWay,
    drove([serverAsks(id, [samplingQuestion('s-1'), samplingQuestion('s-2')])]),
    drove([modelAnswers(inputOf(1))]),
    drove([modelAnswers(inputOf(2), '', 'the model is away')]),
    drove([serverAsks(id, [samplingQuestion('s-3')])]),
    drove([returns(id, 'noted 3')]),
    done,
  ],
  'asked-for-too-long': [
    ...noteUnderWay,
    drove([serverAsks(id, [serverQuestion('q-1', { waitMs: 30_000 }), serverQuestion('q-2')])]),
    drove([serverAsks(id, [serverQuestion('q-1'), serverQuestion('q-2'), samplingQuestion('s-1')])]),
    // One is over, another is answered, and the third is over while somebody else takes the run over.
    drove([], { now: dawn + 30_000 }),
    by('ada', provides(id, 'decline')),
    drove(takesOver(), { me: { instance: 'orchestrator-2', epoch: 0 }, now: dawn + 60_000 }),
    drove([serverAsks(id, [])]),
    drove([returns(id, 'noted nothing')]),
    done,
  ],
  'asked-in-vain': [
    ...noteUnderWay,
    drove([serverAsks(id)]),
    drove([serverAsks(id, [serverQuestion('q-2', { schemaJson: '', url: 'https://pay.example/1' })])]),
    drove([unknown(id)]),
    by('ada', decided({ kind: DecisionKind.GIVE_UP })),
    drove([claim]),
    done,
  ],
};
