import { expect, test } from 'vitest';
import type { AdmittedCall } from '#server/call/admission/admit-call.ts';
import type { RelayEndpoint } from '#server/call/endpoints.ts';
import { AppError } from '#shared/errors.ts';
import { type CallStage, compileStages, countedEndpoint, openStages, type StageRun } from './stages.ts';
import type { TextGuard } from './text-guard.ts';

const call = {} as AdmittedCall;
const endpoint = {} as RelayEndpoint;

function stageWith(run: StageRun | null, fields: Partial<CallStage> = {}): CallStage {
  return { name: 'test', applies: () => true, open: () => run, ...fields };
}

test('stages: runs have the order of the list, also with asynchronous stages; stages without a run are left out', async () => {
  const [first, second, third] = [{}, {}, {}];
  const late = stageWith(null, { open: () => Promise.resolve(second) });
  const lateNone = stageWith(null, { open: () => Promise.resolve(null) });
  const opening = openStages([stageWith(first), stageWith(null), late, lateNone, stageWith(third)], call);
  expect(opening).toBeInstanceOf(Promise);
  const runs = await opening;
  expect(runs).toHaveLength(3);
  for (const [index, run] of [first, second, third].entries()) expect(runs[index]).toBe(run);
});

test('stages: synchronous stages open synchronously', () => {
  const run = {};
  expect(openStages([stageWith(null), stageWith(run)], call)).toEqual([run]);
  expect(openStages([], call)).toEqual([]);
});

test('stages: a call is refused if any stage refuses it', async () => {
  const refusal = new AppError('model_not_found', { model: 'tide' });
  const late = stageWith(null, { open: () => Promise.resolve({}) });
  const refusing = stageWith(null, { open: () => Promise.reject(refusal) });
  await expect(openStages([late, refusing], call)).rejects.toBe(refusal);
});

test('stages: applicable stages are listed again when a setting changes', () => {
  const settings = { revision: 1 };
  let isOn = false;
  const stage = stageWith(null, { applies: () => isOn });
  const stages = compileStages([stage], settings);
  expect(stages.of(endpoint, { isLimited: false })).toEqual([]);
  isOn = true;
  expect(stages.of(endpoint, { isLimited: false })).toEqual([]);
  settings.revision += 1;
  expect(stages.of(endpoint, { isLimited: false })).toEqual([stage]);
});

test('stages: those of limits apply to callers with limits of their own', () => {
  const stage = stageWith(null, { applies: (_endpoint, isLimited) => isLimited });
  const stages = compileStages([stage], { revision: 1 });
  expect(stages.of(endpoint, { isLimited: false })).toEqual([]);
  expect(stages.of(endpoint, { isLimited: true })).toEqual([stage]);
});

test('stages: the text guard is that of the first stage with one; without any, all texts pass', () => {
  const guard: TextGuard = { isOn: true, output: () => null, check() {} };
  const settings = { revision: 1 };
  expect(compileStages([stageWith(null), stageWith(null, { guard }), stageWith(null, { guard: { ...guard } })], settings).guard).toBe(
    guard,
  );
  expect(compileStages([stageWith(null)], settings).guard).toMatchObject({ isOn: false });
});

test('stages: additions to the prompt are counted; without any, the endpoint is unchanged', () => {
  const counted = { promptContent: () => ({ fixed: 1 }) } as unknown as RelayEndpoint;
  const adding: StageRun = { promptContent: (prompt) => void (prompt.fixed += 10) };
  expect(countedEndpoint(counted, [{}])).toBe(counted);
  expect(countedEndpoint(counted, [adding, {}, adding]).promptContent({}, 'tide')).toEqual({ fixed: 21 });
});
