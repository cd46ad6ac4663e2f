import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { AlarmSource } from '@stopgo/gateway';
import { create, health } from '@stopgo/proto';
import { createInProcessClient, type ServiceImpl } from '@stopgo/rpc';
import type { Alarms } from '@stopgo/runtime';

/** Tells the gateway what a process has logged that somebody should look at. */
export function alarmsPart(service: string, instance: string, alarms: Alarms): ServiceImpl<typeof health.AlarmService> {
  return {
    listAlarms: async () => ({
      service,
      instance,
      alarms: alarms.list().map(({ firstAt, lastAt, ...said }) =>
        create(health.AlarmSchema, {
          ...said,
          firstAt: timestampFromMs(firstAt),
          lastAt: timestampFromMs(lastAt),
        }),
      ),
    }),
  };
}

/** The process itself, as one that the gateway in it asks. */
export const ownAlarms = (service: string, instance: string, alarms: Alarms): AlarmSource => ({
  service,
  address: '',
  client: createInProcessClient(health.AlarmService, alarmsPart(service, instance, alarms)),
});
