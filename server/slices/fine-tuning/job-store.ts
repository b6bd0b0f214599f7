// Stores fine-tuning jobs and limits their number per user.
import { type ObjectOwner, ofOwner } from '#server/tokens/object-owner.ts';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import { pageQuery } from '#server/db/record-page.ts';
import type { TuningJobRecord } from '#server/db/records/tuning-job.ts';
import { newWork, type ownedBy } from '#server/work/begin-work.ts';

type Storing = Pick<AppContext, 'db' | 'settings' | 'now' | 'randomText'>;

const idLength = 24;

/** Maximum open jobs of a user; 0 disables fine-tuning. */
export function mostJobs({ settings }: Pick<AppContext, 'settings'>): number {
  return settings.get('FineTuningJobsPerUser');
}

export type JobBegin = ReturnType<typeof ownedBy> &
  Pick<
    TuningJobRecord,
    | 'model'
    | 'base'
    | 'upstream_base'
    | 'channel_id'
    | 'key'
    | 'method'
    | 'parameters'
    | 'suffix'
    | 'seed'
    | 'metadata'
    | 'training_file'
    | 'validation_file'
  >;

/**
 * Inserts a job before its examples are read; it counts at once.
 * @throws {AppError} `tuning_jobs_full`
 */
export async function beginJob(context: Storing & Pick<AppContext, 'ledger'>, known: JobBegin): Promise<TuningJobRecord> {
  const record: TuningJobRecord = {
    id: `ftjob-${context.randomText(idLength)}`,
    ...known,
    ...newWork(context),
    upstream_training: '',
    upstream_validation: '',
    upstream_model: '',
    upstream_results: [],
    epochs: 0,
    tuned_model: `ft:${known.base}:${known.suffix}:${context.randomText(12)}`,
    result_files: [],
    checkpoints: [],
    status: 'validating_files',
    error: '',
    examples: 0,
    tokens: 0,
    trained_tokens: -1,
    finished_at: 0,
    estimated_finish: 0,
    told_at: 0,
  };
  const jobs = context.db.collection('tuning_jobs');
  await jobs.insert(record);
  // Counts include the new job, so concurrent creations cannot exceed the limit.
  const most = mostJobs(context);
  if ((await jobs.count({ open_user_id: known.user_id }, most + 1)) <= most) return record;
  await jobs.remove({ id: record.id, state: 'checking' });
  throw new AppError('tuning_jobs_full', { jobs: most });
}

/**
 * Finds a job of a user.
 * @throws {AppError} `tuning_job_not_found`
 */
export async function findJob({ db }: Pick<Storing, 'db'>, owner: ObjectOwner, id: string): Promise<TuningJobRecord> {
  const found = await db.collection('tuning_jobs').first({ id, ...visible(owner) });
  if (found === null) throw new AppError('tuning_job_not_found', { id });
  return found;
}

/** Hides jobs that are being checked: they may be rejected. */
function visible(owner: ObjectOwner): Filter<TuningJobRecord> {
  return { ...ofOwner(owner), state: { ne: 'checking' } };
}

export interface JobsPage {
  limit: number;
  after: string | undefined;
  /** Required metadata. */
  metadata: ReadonlyMap<string, string>;
}

const readAtOnce = 100;

/**
 * Newest first; one more than the page size if there are more.
 * @throws {AppError} `tuning_job_not_found` for an unknown `after`
 */
export async function listJobs(context: Pick<Storing, 'db'>, owner: ObjectOwner, page: JobsPage): Promise<TuningJobRecord[]> {
  const { limit, metadata } = page;
  const found: TuningJobRecord[] = [];
  let after = page.after === undefined ? undefined : await findJob(context, owner, page.after);
  while (found.length <= limit) {
    const { where, options } = pageQuery({ limit: readAtOnce, after });
    const some = await context.db.collection('tuning_jobs').find({ and: [visible(owner), ...where] }, options);
    found.push(...some.filter((job) => hasMetadata(job, metadata)));
    after = some.at(-1);
    if (after === undefined || some.length <= readAtOnce) break;
  }
  return found.slice(0, limit + 1);
}

function hasMetadata({ metadata }: TuningJobRecord, wanted: JobsPage['metadata']): boolean {
  if (wanted.size === 0) return true;
  const own: Record<string, unknown> = metadata === '' ? {} : JSON.parse(metadata);
  return [...wanted].every(([name, value]) => Object.hasOwn(own, name) && own[name] === value);
}
