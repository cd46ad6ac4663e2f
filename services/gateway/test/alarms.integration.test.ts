import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { unavailable } from '@stopgo/core';
import { create, health } from '@stopgo/proto';
import { expect, test } from 'vitest';
import type { AlarmSource } from '../src/options.ts';
import { gateway } from './support/gateway.ts';

const alarm = (message: string, lastAt: number, fieldsJson = '{}') =>
  create(health.AlarmSchema, {
    ...{ level: 'warn', message, fieldsJson, count: 2 },
    firstAt: timestampFromMs(0),
    lastAt: timestampFromMs(lastAt),
  });

/** A process with these alarms. */
const process = (service: string, ...alarms: health.Alarm[]): AlarmSource => ({
  service,
  address: `${service}:7000`,
  client: {
    listAlarms: async () => create(health.ListAlarmsResponseSchema, { service, instance: `${service}-1`, alarms }),
  },
});

const silent: AlarmSource = {
  service: 'approvals',
  address: 'approvals:7000',
  client: { listAlarms: () => Promise.reject(unavailable('gone')) },
};

test('those of all processes are one list, the latest first, and who is silent is named', async () => {
  const sources = [
    process('store', alarm('second', 2_000, '{"disk":"full"}')),
    silent,
    process('gateway', alarm('third', 3_000), alarm('fi\u200brst', 1_000)),
  ];
  const { send } = await gateway({}, { alarms: async () => sources });
  const { status, json } = await send('GET', '/alarms');
  expect(status).toBe(200);
  expect(json.alarms.map((one: { message: string; service: string }) => [one.message, one.service])).toEqual([
    ['third', 'gateway'],
    ['second', 'store'],
    ['fi\\u{200b}rst', 'gateway'],
  ]);
  expect(json.alarms[1]).toEqual({
    ...{ level: 'warn', message: 'second', fields: { disk: 'full' }, count: 2, service: 'store', instance: 'store-1' },
    ...{ first_at: '1970-01-01T00:00:00.000Z', last_at: '1970-01-01T00:00:02.000Z' },
  });
  expect(json.processes).toEqual([
    { service: 'store', address: 'store:7000', instance: 'store-1', answers: true },
    { service: 'approvals', address: 'approvals:7000', answers: false },
    { service: 'gateway', address: 'gateway:7000', instance: 'gateway-1', answers: true },
  ]);
});
