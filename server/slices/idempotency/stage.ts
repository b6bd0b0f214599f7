// `Idempotency-Key`: a repeated request gets the response of the first one, which was charged once. Streams and background responses are
// not repeated. By the draft of the IETF (draft-ietf-httpapi-idempotency-key-header), with a repetition's request compared by its path and body.
import { setTimeout as waitFor } from 'node:timers/promises';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import type { IdempotentCallRecord } from '#server/db/records/idempotent-call.ts';
import { limitStoredCalls } from '#server/http/rate-limit.ts';
import { storesNothing } from '#server/call/admission/admission.ts';
import type { AdmittedCall } from '#server/call/admission/admit-call.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import type { EndedCall } from '#server/call/ended-call.ts';
import type { CallStage, SentResponse, StageRun } from '#server/call/stages.ts';
import { resolvedCharge } from '#server/money/recovery/call-charge.ts';
import type { ChargeRow } from '#server/money/settlement/settled-call.ts';
import { hashRequest } from './hash-request.ts';

const header = 'idempotency-key';
/** Seconds for which a key stands for its first call. */
const retention = 24 * 3600;
/** Bytes of a response that is stored, and stored responses of a user. */
const longestStored = 128 * 1024;
const mostStored = 500;
const retryAfter = 1;
const storingMs = 1_000;
const storingLooks = 5;

export function idempotencyStage(services: AppContext): CallStage {
  return {
    name: 'idempotency',
    applies: ({ callers, kind }) => callers === 'keys' && !kind.isCount && kind.isInSession !== true,
    open(call) {
      const { turn, endpoint, requested, conversation, admission } = call;
      const key = turn.request.headers.get(header);
      if (key === null || turn.isRepeatable !== true || conversation?.later !== undefined || storesNothing(admission)) return null;
      return endpoint.kind.canStream && requested.isStream ? null : open(services, call, key);
    },
  };
}

/** @throws {AppError} of a key that is invalid, stands for another request, or whose call runs or has left no response */
async function open(services: AppContext, call: AdmittedCall, key: string): Promise<StageRun> {
  const { db, secrets, now } = services;
  const { turn, admission } = call;
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) throw new AppError('idempotency_key_invalid', {}, { field: header });
  const id = secrets.hash(`idempotency\n${admission.token?.id}\n${key}`);
  const request = await hashRequest(turn.request.url, call);
  const found = await db.collection('idempotent_calls').get(id);
  if (found === null || found.expires_at <= now() / 1000) return new FirstCall(services, { id, request, replaced: found });
  await limitStoredCalls(services, admission.user.id);
  if (found.request !== request) throw new AppError('idempotency_key_reused', {}, { field: header });
  if (found.state === 'stored') return { repeated: openResponse(services, found) };
  const paid = found.state === 'answered' ? undefined : await resolvedCharge(db, found);
  if (found.state === 'running' && paid === undefined) throw stillRunning();
  // Its process died before it was charged.
  if (paid === null) return new FirstCall(services, { id, request, replaced: found });
  const stored = await untilStored(services, found);
  if (stored === null) throw new AppError('idempotency_response_lost', { id: found.request_id }, { field: header });
  return { repeated: openResponse(services, stored) };
}

/** Waits a second for the response of a call that is charged, which is stored next. Returns null if it is not. */
async function untilStored({ db }: AppContext, { id, state, request_id }: IdempotentCallRecord): Promise<IdempotentCallRecord | null> {
  for (let look = 0; state === 'running' && look < storingLooks; look += 1) {
    const record = await db.collection('idempotent_calls').get(id);
    if (record === null || record.request_id !== request_id || record.state === 'answered') return null;
    if (record.state === 'stored') return record;
    await waitFor(storingMs / storingLooks);
  }
  return null;
}

function stillRunning(): AppError {
  return new AppError('idempotency_key_running', {}, { field: header, retryAfter });
}

function openResponse({ secrets }: AppContext, { request_id, content_type, response }: IdempotentCallRecord): StageRun['repeated'] {
  const body = Buffer.from(secrets.decrypt(response, 'repeated_response'), 'base64');
  return { requestId: request_id, contentType: content_type, body };
}

interface FirstCallOptions {
  id: string;
  request: string;
  /** Record of the key that counts no more. */
  replaced: IdempotentCallRecord | null;
}

class FirstCall implements StageRun {
  readonly #services: AppContext;
  readonly #options: FirstCallOptions;
  /** Its record may be there. */
  #isRecorded = false;
  /** Process in the record. */
  #process = '';
  /** A repetition must not be called: the call is charged, or has a response. */
  #isFinal = false;

  constructor(services: AppContext, options: FirstCallOptions) {
    this.#services = services;
    this.#options = options;
  }

  async reserved({ admission, requestId }: RunningCall): Promise<void> {
    const { db, now, ledger } = this.#services;
    const { id, request, replaced } = this.#options;
    const calls = db.collection('idempotent_calls');
    this.#process = ledger.processId;
    const fields = {
      user_id: admission.user.id,
      request,
      state: 'running' as const,
      request_id: requestId,
      process: this.#process,
      content_type: '',
      response: '',
      expires_at: Math.floor(now() / 1000) + retention,
    };
    // A write that fails may have been carried out.
    this.#isRecorded = true;
    try {
      if (replaced === null) await calls.insert({ id, ...fields });
      else if ((await calls.patch({ id, request_id: replaced.request_id }, { set: fields })) === null) throw stillRunning();
    } catch (failure) {
      // Another call with the key was faster.
      throw failure instanceof UniqueConflict ? stillRunning() : failure;
    }
  }

  /** A process that was taken for dead charges under another identity: the record names it, unless a repetition has replaced the call. */
  charging({ requestId }: RunningCall): void | Promise<void> {
    const { ledger } = this.#services;
    if (this.#process !== ledger.processId) return this.#claim(requestId, ledger.processId);
  }

  async #claim(requestId: string, process: string): Promise<void> {
    const calls = this.#services.db.collection('idempotent_calls');
    const claimed = await calls.patch({ id: this.#options.id, request_id: requestId }, { set: { process } });
    if (claimed === null) throw new Error('A repetition was called in place of a call whose process was taken for dead');
    this.#process = process;
  }

  /** A row that could not be written for certain is final as well: its charge decides. */
  settling({ quota }: ChargeRow, _call: RunningCall, { isWhole }: EndedCall): void {
    if (isWhole || quota > 0) this.#isFinal = true;
  }

  async answered({ requestId, admission }: RunningCall, { contentType, body }: SentResponse): Promise<void> {
    const { db, secrets, log } = this.#services;
    const calls = db.collection('idempotent_calls');
    try {
      const isStored = body.length <= longestStored && (await this.#hasRoom(admission.user.id));
      const response = isStored ? secrets.encrypt(body.toString('base64'), 'repeated_response') : '';
      const state = isStored ? 'stored' : 'answered';
      await calls.patch({ id: this.#options.id, request_id: requestId }, { set: { state, content_type: contentType, response } });
    } catch (failure) {
      // The call is charged: a repetition is refused, not charged again.
      log.warn({ requestId, reason: String(failure) }, 'the response of a call with an idempotency key was not stored');
    }
  }

  async #hasRoom(userId: number): Promise<boolean> {
    return (await this.#services.db.collection('idempotent_calls').count({ user_id: userId, state: 'stored' }, mostStored)) < mostStored;
  }

  /** A call that has failed without a charge may be repeated. Removed again when its row is written: the database may have been away before. */
  closed({ requestId }: RunningCall): void {
    if (this.#isFinal || !this.#isRecorded) return;
    const { db, waitUntil } = this.#services;
    waitUntil(db.collection('idempotent_calls').remove({ id: this.#options.id, request_id: requestId, state: 'running' }));
  }
}

/** Job. */
export function sweepIdempotentCalls({ db, now }: Pick<AppContext, 'db' | 'now'>): Promise<number> {
  return db.collection('idempotent_calls').remove({ expires_at: { lt: Math.floor(now() / 1000) } });
}
