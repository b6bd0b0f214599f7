// Result of the last test of a form, until its channel is created. The process that made the test holds it: if another one creates the channel, the
// channel starts untested.
import { commaList } from '#shared/comma-list.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import type { TestResult } from './test-channel.ts';

/** What a test depends on. The tested model is compared for itself: a form proposes one that is not saved as the test model. */
const testedFields = [
  'type',
  'key_hash',
  'base_url',
  'other',
  'openai_organization',
  'model_mapping',
  'status_code_mapping',
  'param_override',
  'setting',
] as const satisfies readonly (keyof ChannelRecord)[];

const minutes = 15;

type Tested = Pick<ChannelRecord, (typeof testedFields)[number] | 'models' | 'test_model'>;

/** One result for each administrator: the last one. */
export class DraftTests {
  readonly #tests = new Map<number, { draft: Tested; result: TestResult }>();

  keep(actorId: number, draft: Tested, result: TestResult): void {
    this.#tests.set(actorId, { draft, result });
  }

  /** The result of the administrator's last test, when it was of a channel like this one. `now` in unix seconds. */
  resultFor(actorId: number, channel: Tested, now: number): TestResult | undefined {
    const test = this.#tests.get(actorId);
    if (test === undefined) return undefined;
    const { draft, result } = test;
    if (now - result.test_time > minutes * 60) {
      this.#tests.delete(actorId);
      return undefined;
    }
    const hasModel = channel.test_model === result.tested_model || commaList(channel.models).includes(result.tested_model);
    return hasModel && testedFields.every((field) => draft[field] === channel[field]) ? result : undefined;
  }
}
