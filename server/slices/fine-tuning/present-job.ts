// Presenter of fine-tuning jobs.
import type { TuningJobRecord } from '#server/db/records/tuning-job.ts';

/** Placeholder: users have no organizations. */
const organization = 'org-tidegate';

/** https://platform.openai.com/docs/api-reference/fine-tuning/object */
export function presentJob(job: TuningJobRecord): Record<string, unknown> {
  const hasEnded = job.state === 'ended';
  const timeOf = (at: number) => (at === 0 ? null : at);
  const requested: Record<string, number> = JSON.parse(job.parameters);
  const hyperparameters = { batch_size: 'auto', learning_rate_multiplier: 'auto', ...requested, n_epochs: job.epochs };
  return {
    object: 'fine_tuning.job',
    id: job.id,
    model: job.model,
    created_at: job.created_at,
    finished_at: hasEnded ? timeOf(job.finished_at) : null,
    fine_tuned_model: hasEnded && job.status === 'succeeded' ? job.tuned_model : null,
    organization_id: organization,
    result_files: hasEnded ? job.result_files : [],
    // The model is available once the job is settled.
    status: hasEnded || job.status !== 'succeeded' ? job.status : 'running',
    validation_file: job.validation_file === '' ? null : job.validation_file,
    training_file: job.training_file,
    hyperparameters,
    trained_tokens: hasEnded && job.trained_tokens >= 0 ? job.trained_tokens : null,
    error: job.error === '' ? null : JSON.parse(job.error),
    user_provided_suffix: job.suffix === '' ? null : job.suffix,
    seed: job.seed,
    estimated_finish: hasEnded ? null : timeOf(job.estimated_finish),
    integrations: [],
    metadata: job.metadata === '' ? null : JSON.parse(job.metadata),
    method: { type: job.method, [job.method]: { hyperparameters } },
  };
}
