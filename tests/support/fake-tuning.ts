// OpenAI's fine-tuning in front of its batches, its files and the fake upstream: a model is trained when a test calls `train`. Requests are checked
// as strictly as there, and a trained model is known only by the name that the provider gave it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FakeBatches, startFakeBatches } from './fake-batches.ts';
import type { ProviderFront } from './provider-front.ts';
import { readAll } from './upstream-exchange.ts';
import { isObject } from './upstream-responses.ts';

export interface ProviderJob {
  id: string;
  created_at: number;
  finished_at: number | null;
  estimated_finish: number | null;
  model: string;
  fine_tuned_model: string | null;
  training_file: string;
  validation_file: string | null;
  status: string;
  trained_tokens: unknown;
  result_files: string[];
  seed: unknown;
  method: unknown;
  error: unknown;
}

export interface TrainOptions {
  status?: 'succeeded' | 'failed' | 'cancelled';
  trainedTokens?: unknown;
  /** Steps of checkpoints before the last one. */
  steps?: readonly number[];
  /** The model's name comes later. */
  isUnnamed?: boolean;
  /** Texts of its events. */
  events?: readonly string[];
}

export interface FakeTuning extends ProviderFront {
  batches: FakeBatches;
  files: FakeBatches['files'];
  jobs: Map<string, ProviderJob>;
  /** Names of trained models that are there. */
  models: Set<string>;
  /** Requests about trainings and models, as `METHOD path`, and models that calls were for. */
  requested: string[];
  called: string[];
  /** The next ones get these; `lost`: it is done, and nothing is answered; `held`: nothing is ever said. */
  failures: (number | 'lost' | 'cut' | 'held')[];
  /** Status of lists of checkpoints; 200: they are returned. */
  checkpointStatus: number;
  /** The same of events. */
  eventsStatus: number;
  /** Ends a training, the newest by default. */
  train(options?: TrainOptions, id?: string): ProviderJob;
  /** The examples that it was given. */
  examplesOf(job: ProviderJob): Record<string, unknown>[];
}

const fields = new Set(['model', 'training_file', 'validation_file', 'seed', 'method']);
const ofMethod: Readonly<Record<string, ReadonlySet<string>>> = {
  supervised: new Set(['n_epochs', 'batch_size', 'learning_rate_multiplier']),
  dpo: new Set(['n_epochs', 'batch_size', 'learning_rate_multiplier', 'beta']),
};
const pageSize = 2;
const firstStep = 'Step 1/90: training loss=0.5';

export async function startFakeTuning(upstreamUrl: string): Promise<FakeTuning> {
  const batches = await startFakeBatches(upstreamUrl);
  const { files, channel } = batches;
  const jobs = new Map<string, ProviderJob>();
  const checkpoints = new Map<string, Record<string, unknown>[]>();
  const trainedSteps = new Map<string, readonly string[]>();
  const models = new Set<string>();
  const requested: string[] = [];
  const called: string[] = [];
  const failures: FakeTuning['failures'] = [];
  const reported = (job: ProviderJob) => ({ ...job, object: 'fine_tuning.job', organization_id: 'org-theirs123', integrations: [] });

  function examplesOf({ training_file: id }: ProviderJob): Record<string, unknown>[] {
    const text = files.files.get(id)?.bytes.toString() ?? '';
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }

  function train(options: TrainOptions = {}, id = ''): ProviderJob {
    const { status = 'succeeded', trainedTokens = null, steps = [], isUnnamed = false, events = [firstStep] } = options;
    const job = jobs.get(id) ?? [...jobs.values()].at(-1);
    if (job === undefined) throw new Error('There is no training');
    Object.assign(job, { status, trained_tokens: trainedTokens, finished_at: 2_000_000_100, estimated_finish: null });
    trainedSteps.set(job.id, events);
    if (status === 'failed') job.error = { code: 'bad_data', message: `The file ${job.training_file} is not good`, param: 'training_file' };
    if (status !== 'succeeded') return job;
    const name = `ft:${job.model}:their-org::T${job.id.slice(-6)}`;
    const names = [...steps.map((step) => ({ step, name: `${name}:ckpt-step-${step}` })), { step: 1000, name }];
    for (const one of names) models.add(one.name);
    checkpoints.set(
      job.id,
      names.map((one, index) => ({
        object: 'fine_tuning.job.checkpoint',
        id: `ftckpt_theirs${index}`,
        created_at: 2_000_000_050,
        fine_tuned_model_checkpoint: one.name,
        fine_tuning_job_id: job.id,
        metrics: { step: one.step, train_loss: 0.5 },
        step_number: one.step,
      })),
    );
    if (!isUnnamed) job.fine_tuned_model = name;
    const results = `file-metrics${job.id.slice(-6)}`;
    files.files.set(results, {
      id: results,
      filename: 'step_metrics.csv',
      purpose: 'fine-tune-results',
      bytes: Buffer.from('step,loss\n1,0.5\n'),
      seconds: '',
    });
    job.result_files = [results];
    return job;
  }

  function eventsOf(job: ProviderJob): object[] {
    const event = (id: string, message: string, more: object = {}) => ({
      object: 'fine_tuning.job.event',
      id: `ftevent-theirs${id}`,
      created_at: 2_000_000_010,
      level: 'info',
      message,
      type: 'message',
      data: {},
      ...more,
    });
    const made = job.fine_tuned_model;
    return [
      ...(made === null ? [] : [event('4', `New fine-tuned model created: ${made}`)]),
      event('3', `Checkpoint created at step 90 with name: ft:${job.model}:their-org::T1:ckpt-step-90`),
      ...(trainedSteps.get(job.id) ?? [firstStep]).map((message, index) =>
        event(`2${index}`, message, { type: 'metrics', data: { step: Number(/\d+/.exec(message)), model: made, file: job.training_file } }),
      ),
      event('1', `Validating training file: ${job.training_file} of org-theirs123`),
      event('0', `Created fine-tuning job: ${job.id}`),
    ];
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = incoming;
    const body = await readAll(incoming);
    const answer = (status: number, value: object) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    const refuse = (status: number, message: string) =>
      answer(status, { error: { message, type: 'invalid_request_error', param: null, code: null } });
    const address = new URL(url, 'http://there');
    const [, version, place, kind, id, verb, ...more] = address.pathname.split('/').map(decodeURIComponent);
    if (version === 'v1' && place === 'models' && method === 'DELETE') {
      requested.push(`${method} ${decodeURIComponent(url)}`);
      if (headers.authorization !== `Bearer ${channel.key}`) return refuse(401, 'Incorrect API key provided');
      const failure = failures.shift();
      if (failure === 'held') return;
      if (typeof failure === 'number') return refuse(failure, 'as was told');
      if (!models.delete(kind ?? '')) return refuse(404, `The model '${kind}' does not exist`);
      return answer(200, { id: kind, object: 'model', deleted: true });
    }
    if (version !== 'v1' || place !== 'fine_tuning') {
      const model = /"model":\s*"(ft:[^"]*)"/.exec(body.toString())?.[1];
      if (model !== undefined && method === 'POST' && place !== 'files') {
        called.push(model);
        if (!models.has(model)) return refuse(404, `The model \`${model}\` does not exist or you do not have access to it.`);
      }
      return passOn(incoming, response, body);
    }
    requested.push(`${method} ${url}`);
    if (headers.authorization !== `Bearer ${channel.key}`) return refuse(401, 'Incorrect API key provided');
    const failure = failures.shift();
    if (failure === 'cut') return void response.destroy();
    if (failure === 'held') return;
    if (typeof failure === 'number') return refuse(failure, 'as was told');
    if (kind !== 'jobs' || more.length > 0) return refuse(404, 'no such path');
    const give = (job: ProviderJob) => (failure === 'lost' ? void response.destroy() : answer(200, reported(job)));
    const page = (all: readonly { id: string }[], size: number) => {
      const after = address.searchParams.get('after');
      const from = after === null ? 0 : all.findIndex((one) => one.id === after) + 1;
      if (after !== null && from === 0) return refuse(400, `No such object: ${after}`);
      return answer(200, { object: 'list', data: all.slice(from, from + size), has_more: from + size < all.length });
    };
    const limit = Number(address.searchParams.get('limit') ?? 20);
    if (id === undefined && method === 'POST') return create(JSON.parse(body.toString()), { give, refuse });
    if (id === undefined) return page([...jobs.values()].toReversed().map(reported), pageSize);
    const job = jobs.get(id);
    if (job === undefined) return refuse(404, `Could not find fine tune: ${id}`);
    if (method === 'GET' && verb === undefined) return give(job);
    if (method === 'GET' && verb === 'events' && fake.eventsStatus !== 200) return refuse(fake.eventsStatus, 'not now');
    if (method === 'GET' && verb === 'events') return page(eventsOf(job) as { id: string }[], limit);
    if (method === 'GET' && verb === 'checkpoints' && fake.checkpointStatus !== 200) return refuse(fake.checkpointStatus, 'not now');
    if (method === 'GET' && verb === 'checkpoints') return page((checkpoints.get(id) ?? []) as { id: string }[], limit);
    const next = verb === undefined ? undefined : { cancel: 'cancelled', pause: 'paused', resume: 'running' }[verb];
    if (method !== 'POST' || next === undefined) return refuse(405, 'no such method');
    if (['succeeded', 'failed', 'cancelled'].includes(job.status)) return refuse(400, `Job is already ${job.status}`);
    job.status = next;
    give(job);
  }

  function create(
    wanted: unknown,
    { give, refuse }: { give(job: ProviderJob): void; refuse(status: number, message: string): void },
  ): void {
    if (!isObject(wanted) || Object.keys(wanted).some((name) => !fields.has(name))) return refuse(400, 'not such fields');
    const { model, training_file: training, validation_file: validation, seed, method } = wanted;
    const isThere = (file: unknown) => typeof file === 'string' && files.files.get(file)?.purpose === 'fine-tune';
    if (typeof training !== 'string' || !isThere(training)) return refuse(400, 'invalid training_file');
    if (validation !== undefined && !isThere(validation)) return refuse(400, 'invalid validation_file');
    if (typeof model !== 'string' || (model.startsWith('ft:') && !models.has(model))) return refuse(400, 'no such model');
    if (!Number.isInteger(seed)) return refuse(400, 'no seed');
    const type = isObject(method) ? method['type'] : undefined;
    const own = isObject(method) && typeof type === 'string' ? method[type] : undefined;
    const parameters = isObject(own) ? own['hyperparameters'] : undefined;
    if (typeof type !== 'string' || !isObject(parameters)) return refuse(400, 'no method');
    if (Object.keys(parameters).some((name) => ofMethod[type]?.has(name) !== true)) return refuse(400, 'not such hyperparameters');
    if (!Number.isInteger(parameters['n_epochs'])) return refuse(400, 'no epochs');
    const job: ProviderJob = {
      id: `ftjob-theirs${String(jobs.size).padStart(6, '0')}`,
      created_at: 2_000_000_000,
      finished_at: null,
      estimated_finish: null,
      model,
      fine_tuned_model: null,
      training_file: training,
      validation_file: typeof validation === 'string' ? validation : null,
      status: 'validating_files',
      trained_tokens: null,
      result_files: [],
      seed,
      method,
      error: null,
    };
    jobs.set(job.id, job);
    give(job);
  }

  async function passOn(incoming: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    const { host: _host, 'transfer-encoding': _chunked, connection: _connection, ...passed } = incoming.headers;
    const isBodiless = incoming.method === 'GET' || incoming.method === 'HEAD';
    const forwarded = await fetch(`${batches.url}${incoming.url}`, {
      method: incoming.method ?? 'GET',
      headers: passed as Record<string, string>,
      ...(isBodiless ? {} : { body: new Uint8Array(body) }),
    });
    response.writeHead(forwarded.status, { 'content-type': forwarded.headers.get('content-type') ?? '' });
    response.end(Buffer.from(await forwarded.arrayBuffer()));
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((cause: unknown) => response.destroy(cause instanceof Error ? cause : undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeTuning = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    channel,
    batches,
    files,
    jobs,
    models,
    requested,
    called,
    failures,
    checkpointStatus: 200,
    eventsStatus: 200,
    train,
    examplesOf,
    close: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await batches.close();
    },
  };
  return fake;
}
