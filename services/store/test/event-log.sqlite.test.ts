import { eventLogContract } from './event-log.contract.ts';
import { byThread, openSqliteLog } from './sqlite-log.ts';

eventLogContract('sqlite', () => openSqliteLog());
eventLogContract('sqlite, written by the thread', () => openSqliteLog(byThread));
