import { eventLogContract } from './event-log.contract.ts';
import { openSqliteLog } from './sqlite-log.ts';

eventLogContract('sqlite', openSqliteLog);
