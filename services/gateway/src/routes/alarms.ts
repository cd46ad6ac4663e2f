import type { health } from '@stopgo/proto';
import { listServersMs } from '../bounds.ts';
import type { Frame } from '../frame.ts';
import { type Answer, RawJson } from '../json-text.ts';
import type { AlarmSource } from '../options.ts';
import { shownLine } from '../render/shown.ts';
import { rfc3339 } from '../render/time.ts';
import { sendJson } from '../respond.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

/** What the processes of the platform have logged that somebody should look at. */
export const alarmRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'GET', path: '/alarms', handle: list(deps) },
];

/** Each process is asked, and who is silent is named: that alone is worth a look. */
const list =
  (deps: RouteDependencies): Handler =>
  async (_req, res, frame) => {
    await permit(deps, frame, 'alarms.list', { kind: 'service' });
    const sources = (await deps.alarms?.()) ?? [];
    const answers = await Promise.all(sources.map((source) => asked(source, frame)));
    const alarms = answers.flatMap(({ answer }) => answer?.alarms.map((one) => ({ one, answer })) ?? []);
    alarms.sort((a, b) => at(b.one) - at(a.one));
    sendJson(res, 200, {
      alarms: alarms.map(({ one, answer }) => renderAlarm(one, answer)),
      processes: answers.map(({ source, answer }) => ({
        service: source.service,
        address: source.address === '' ? undefined : source.address,
        instance: answer?.instance,
        answers: answer !== undefined,
      })),
    });
  };

type Asked = { readonly source: AlarmSource; readonly answer: health.ListAlarmsResponse | undefined };

async function asked(source: AlarmSource, { context }: Frame): Promise<Asked> {
  try {
    return { source, answer: await source.client.listAlarms({}, { context, timeoutMs: listServersMs }) };
  } catch {
    return { source, answer: undefined };
  }
}

const at = ({ lastAt }: health.Alarm): number =>
  Number(lastAt?.seconds ?? 0) * 1_000 + (lastAt?.nanos ?? 0) / 1_000_000;

const renderAlarm = (alarm: health.Alarm, { service, instance }: health.ListAlarmsResponse): Answer => ({
  level: alarm.level,
  message: shownLine(alarm.message),
  fields: alarm.fieldsJson === '{}' ? undefined : RawJson.from(alarm.fieldsJson),
  count: alarm.count,
  first_at: rfc3339(alarm.firstAt),
  last_at: rfc3339(alarm.lastAt),
  service,
  instance,
});
