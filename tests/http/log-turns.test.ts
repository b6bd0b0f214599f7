// Lists of the log on the embedded engine, where long reads share a thread: no user waits for all reads of another.
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { useLogDesk } from '#tests/support/log-desk.ts';
import { until } from '#tests/support/until.ts';

/** Holds requests to the threads back, in their order. */
function holdQuestions(): { held: string[]; release(): void } {
  const { postMessage } = Worker.prototype;
  const held: string[] = [];
  const deliveries: (() => void)[] = [];
  let isOpen = false;
  vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function post(this: Worker, message: unknown) {
    const isQuestion = typeof message === 'object' && message !== null && 'sql' in message && String(message.sql).includes('"logs"');
    if (isOpen || !isQuestion) return postMessage.call(this, message);
    held.push(JSON.stringify(message));
    deliveries.push(() => postMessage.call(this, message));
  });
  return {
    held,
    release() {
      isOpen = true;
      for (const deliver of deliveries) deliver();
    },
  };
}

describe.each(oneEngine.filter(({ kind }) => kind === 'embedded'))('turns of readers on $kind', (engine) => {
  const desk = useLogDesk(engine);
  afterEach(() => vi.restoreAllMocks());
  const search = '/api/log/self?model_name=%25zzz%25';

  it('with many searches of one account waiting, the list of another comes next; beyond forty the account is refused', async () => {
    const many = await desk.someone(Array.from({ length: 700 }, () => ({})));
    const other = await desk.someone([{ model_name: 'a-zzz' }]);
    const questions = holdQuestions();
    try {
      const searches = Array.from({ length: 40 }, () => many.client.get(search));
      await until(async () => {
        // All forty are at work when one more is refused.
        const more = await Promise.race([many.client.get(search), new Promise((resolve) => setTimeout(resolve, 200, null))]);
        return typeof more === 'object' && more !== null && 'code' in more && more.code === 'rate_limited';
      });
      expect(questions.held).toHaveLength(1);
      const list = other.client.get(search);
      await until(() => questions.held.length > 1);
      expect(questions.held[1]).toContain(String(other.user.id));
      questions.release();
      expect(await list).toMatchObject({ status: 200, data: { total: 1 } });
      for (const found of await Promise.all(searches)) expect([200, 429]).toContain(found.status);
    } finally {
      questions.release();
    }
  });
});
