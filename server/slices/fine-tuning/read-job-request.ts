// Reads fine-tuning requests. https://platform.openai.com/docs/api-reference/fine-tuning/create
import { fieldRules } from '#shared/field-rules.ts';
import { metadataIn } from '#server/objects/metadata-field.ts';
import type { TuningJobRecord } from '#server/db/records/tuning-job.ts';
import { badField, StrictFields } from '#server/framing/strict-fields.ts';
import { requestedModel } from '#server/formats/requested-model.ts';
import { isObject } from '#server/framing/loose-json.ts';

export interface JobRequest {
  model: string;
  trainingFile: string;
  /** Empty if not set. */
  validationFile: string;
  suffix: string;
  seed: number | undefined;
  /** JSON text; empty if not set. */
  metadata: string;
  method: TuningJobRecord['method'];
  /** Undefined for the default, which depends on the number of examples. */
  epochs: number | undefined;
  /** Other numeric hyperparameters; the provider chooses the rest. */
  parameters: Readonly<Record<string, number>>;
}

const known: ReadonlySet<string> = new Set([
  'model',
  'training_file',
  'validation_file',
  'suffix',
  'seed',
  'metadata',
  'method',
  'hyperparameters',
  'integrations',
]);
const suffixes = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const largestSeed = 2 ** 31 - 1;
/** The vendor's limits. */
const mostEpochs = 50;
const bounds: Readonly<Record<string, { least: number; most: number; isWhole: boolean }>> = {
  batch_size: { least: 1, most: 256, isWhole: true },
  // Greater than zero.
  learning_rate_multiplier: { least: Number.MIN_VALUE, most: 100, isWhole: false },
  beta: { least: 0, most: 2, isWhole: false },
};
const ofMethod = {
  supervised: ['batch_size', 'learning_rate_multiplier'],
  dpo: ['batch_size', 'learning_rate_multiplier', 'beta'],
} as const;

const oneSuffix = {
  zh: '只能包含字母、数字、- 和 _，最多 64 个字符',
  en: 'must consist of letters, digits, - and _, 64 at the most',
};
const paidByHour = {
  zh: '不支持 reinforcement：它按小时计费，事先无法确定费用',
  en: 'cannot be reinforcement: it is paid by the hour, and nobody knows ahead how long it takes',
};
const notServed = { zh: '在这里不支持', en: 'are not supported here' };

/** @throws {AppError} `invalid_request` */
export function readRequest(body: unknown): JobRequest {
  if (!isObject(body)) throw badField('body', fieldRules.object);
  const fields = new StrictFields(body);
  refuseOthers(fields, known);
  const integrations = fields.list('integrations');
  if (integrations !== undefined && integrations.length > 0) throw badField('integrations', notServed);
  const suffix = fields.text('suffix') ?? '';
  if (suffix !== '' && !suffixes.test(suffix)) throw badField('suffix', oneSuffix);
  const { method, hyperparameters } = methodIn(fields);
  return {
    model: requestedModel(body),
    trainingFile: fields.requiredText('training_file'),
    validationFile: fields.text('validation_file') ?? '',
    suffix,
    seed: fields.integer('seed', 0, largestSeed),
    metadata: metadataIn(fields),
    method,
    ...parametersIn(hyperparameters, method),
  };
}

function methodIn(fields: StrictFields): { method: TuningJobRecord['method']; hyperparameters: StrictFields | undefined } {
  const reported = fields.fields('method');
  const usual = fields.fields('hyperparameters');
  if (reported === undefined) return { method: 'supervised', hyperparameters: usual };
  const type = reported.requiredText('type');
  if (type === 'reinforcement') throw badField(reported.path('type'), paidByHour);
  const method = reported.oneOf('type', ['supervised', 'dpo']) ?? 'supervised';
  refuseOthers(reported, new Set(['type', method]));
  const own = reported.fields(method);
  if (own !== undefined) refuseOthers(own, new Set(['hyperparameters']));
  const hyperparameters = own?.fields('hyperparameters');
  if (hyperparameters !== undefined && usual !== undefined) throw badField('hyperparameters', fieldRules.standsOnce);
  return { method, hyperparameters: hyperparameters ?? usual };
}

function parametersIn(fields: StrictFields | undefined, method: TuningJobRecord['method']): Pick<JobRequest, 'epochs' | 'parameters'> {
  if (fields === undefined) return { epochs: undefined, parameters: {} };
  const names = ofMethod[method];
  refuseOthers(fields, new Set(['n_epochs', ...names]));
  const isAuto = (name: string) => fields.raw(name) === 'auto';
  const parameters: Record<string, number> = {};
  for (const name of names) {
    const bound = bounds[name];
    const value = isAuto(name) ? undefined : fields.number(name);
    if (value === undefined || bound === undefined) continue;
    if (value < bound.least || value > bound.most || (bound.isWhole && !Number.isInteger(value)))
      throw badField(fields.path(name), bound.isWhole ? fieldRules.wholeBetween(bound.least, bound.most) : within(bound));
    parameters[name] = value;
  }
  return { epochs: isAuto('n_epochs') ? undefined : fields.integer('n_epochs', 1, mostEpochs), parameters };
}

function within({ least, most }: { least: number; most: number }) {
  if (least > 0) return { zh: `必须大于 0，且不能大于 ${most}`, en: `must be above 0 and at most ${most}` };
  return { zh: `必须在 ${least} 到 ${most} 之间`, en: `must be from ${least} to ${most}` };
}

function refuseOthers(fields: StrictFields, names: ReadonlySet<string>): void {
  const [other] = fields.others(names);
  if (other !== undefined) throw badField(fields.path(other.slice(0, 100).replace(/\p{Cc}/gu, '?')), fieldRules.invalid);
}
