import {
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { failedPrecondition, unavailable } from '@stopgo/core';
import { maxPayloadMin, retryAfterMs } from './bounds.ts';
import { notNow, passes } from './server-check.ts';

/** Every event stream is a subject below this. */
export const eventSubjects = 'stopgo.events.>';
/** The key of the stream's metadata that tells this log from every other. */
export const logIdKey = 'stopgo.log_id';

/** JetStream's codes for a stream that cannot be made as it is asked for. */
const nameTaken = 10058;
const subjectsTaken = 10065;
const noCluster = 10074;

export type EventStreamOptions = {
  readonly manager: JetStreamManager;
  readonly address: string;
  readonly stream: string;
  readonly replicas: number;
  /** Makes the id of a log that is made now. */
  readonly newId: () => string;
};

/** The stream that holds the event log. */
export type EventStream = { readonly logId: string; readonly info: StreamInfo };

/**
 * Finds the stream of the event log, or makes it, and compares what the server says it is with what it must be.
 *
 * @throws DomainError `failed_precondition` with one line that names the setting, what it is and what to do.
 */
export async function openEventStream(options: EventStreamOptions): Promise<EventStream> {
  const info = (await findStream(options)) ?? (await makeStream(options));
  return checked(info, options);
}

/**
 * The same for a stream that was there before: it is not made again.
 *
 * @throws DomainError `failed_precondition` also if it is gone.
 */
export async function checkEventStream(options: EventStreamOptions): Promise<EventStream> {
  const info = await findStream(options);
  if (info !== undefined) return checked(info, options);
  throw failedPrecondition(
    `${where(options)} is gone, and the event log with it; restore it from a backup, or restart the stores to begin a new log`,
  );
}

async function findStream({ manager, address, stream }: EventStreamOptions): Promise<StreamInfo | undefined> {
  try {
    return await manager.streams.info(stream);
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound) return undefined;
    throw passes(error) ? notNow(address, error) : error;
  }
}

async function makeStream(options: EventStreamOptions): Promise<StreamInfo> {
  const { manager, address, stream, replicas, newId } = options;
  try {
    await manager.streams.add({
      name: stream,
      description: 'The event log of Stop and Go. Nothing in it is ever changed or deleted.',
      subjects: [eventSubjects],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      discard: DiscardPolicy.New,
      num_replicas: replicas,
      allow_direct: true,
      deny_delete: true,
      deny_purge: true,
      metadata: { [logIdKey]: newId() },
    });
  } catch (error) {
    const code = error instanceof JetStreamApiError ? error.code : undefined;
    if (code === noCluster)
      throw failedPrecondition(
        `${where(options)}: ${replicas} replicas need a cluster of as many servers, and this is one server; set nats.replicas to 1, or build the cluster`,
      );
    if (code === subjectsTaken)
      throw failedPrecondition(
        `${where(options)} cannot be made: another stream holds ${eventSubjects}; set nats.stream to its name, or use another account`,
      );
    // Another replica was faster; what it made is compared like any other.
    if (code !== nameTaken) throw passes(error) ? notNow(address, error) : error;
  }
  const info = await findStream(options);
  if (info === undefined) throw unavailable(`${where(options)} is being made; try again`, {}, { retryAfterMs });
  return info;
}

function checked(info: StreamInfo, options: EventStreamOptions): EventStream {
  const problems = differences(info.config, options.replicas);
  if (problems.length > 0)
    throw failedPrecondition(`${where(options)} cannot hold the event log: ${problems.join('; ')}`);
  const logId = info.config.metadata?.[logIdKey] ?? '';
  if (logId !== '') return { logId, info };
  throw failedPrecondition(
    `${where(options)} has no ${logIdKey} in its metadata, which tells its log from others; run: nats stream edit ${options.stream} --metadata ${logIdKey}:$(uuidgen)`,
  );
}

function where({ stream, address }: EventStreamOptions): string {
  return `the stream ${stream} of NATS at ${address}`;
}

/** Each setting that would lose, hide or change events: what it is, and what it must be. */
function differences(config: StreamConfig, replicas: number): string[] {
  const found: string[] = [];
  const must = (setting: string, value: unknown, isRight: boolean, wanted: string) => {
    if (!isRight) found.push(`${setting} is ${shown(value)} and must be ${wanted}`);
  };
  const unlimited = (setting: string, value: number | undefined) =>
    must(setting, value, value === undefined || value <= 0, 'unlimited (-1)');
  const { subjects, storage, retention, discard, max_msg_size: size } = config;
  must('subjects', subjects, subjects?.length === 1 && subjects[0] === eventSubjects, eventSubjects);
  must(
    'storage',
    storage,
    storage === StorageType.File,
    'file (it cannot be changed: delete the stream if it is empty)',
  );
  must('retention', retention, retention === RetentionPolicy.Limits, 'limits');
  must('discard', discard, discard === DiscardPolicy.New, 'new');
  must('max_age', config.max_age, config.max_age === 0, '0');
  unlimited('max_msgs', config.max_msgs);
  unlimited('max_bytes', config.max_bytes);
  unlimited('max_msgs_per_subject', config.max_msgs_per_subject);
  unlimited('max_consumers', config.max_consumers);
  must('max_msg_size', size, size <= 0 || size >= maxPayloadMin, `unlimited (-1) or at least ${maxPayloadMin}`);
  must('num_replicas', config.num_replicas, config.num_replicas === replicas, `${replicas}, as nats.replicas says`);
  must('allow_direct', config.allow_direct, config.allow_direct === true, 'true');
  must('deny_delete', config.deny_delete, config.deny_delete === true, 'true');
  must('deny_purge', config.deny_purge, config.deny_purge === true, 'true');
  must('allow_rollup_hdrs', config.allow_rollup_hdrs, config.allow_rollup_hdrs !== true, 'false');
  must('sealed', config.sealed, config.sealed !== true, 'false');
  must('no_ack', config.no_ack, config.no_ack !== true, 'false');
  must('first_seq', config.first_seq, (config.first_seq ?? 0) <= 1, '1');
  must('persist_mode', config.persist_mode, String(config.persist_mode ?? 'default') !== 'async', 'default');
  must('mirror', 'set', config.mirror === undefined, 'unset');
  must('sources', 'set', (config.sources?.length ?? 0) === 0, 'unset');
  must('subject_transform', 'set', config.subject_transform === undefined, 'unset');
  return found;
}

function shown(value: unknown): string {
  return value === undefined ? 'unset' : typeof value === 'string' ? value : JSON.stringify(value);
}
