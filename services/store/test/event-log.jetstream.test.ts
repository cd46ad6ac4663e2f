import { eventLogContract } from './event-log.contract.ts';
import { openJetStreamLog } from './jetstream-log.ts';
import { describeWithNats } from './nats-server.ts';

describeWithNats('jetstream', () => eventLogContract('jetstream', openJetStreamLog));
