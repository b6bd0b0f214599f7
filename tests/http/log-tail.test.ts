// New rows of the log as a stream of events.
import { describe, expect, it } from 'vitest';
import type { Log } from '#shared/logs.ts';
import { writeCursor } from '#server/http/paging.ts';
import { oneEngine } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { useLogDesk } from '#tests/support/log-desk.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

interface TailEvent {
  id: string;
  name: string;
  logs: Log[];
}

/** Reads events until it is left. */
async function openTail(origin: string, client: TestClient, path: string, headers: Record<string, string> = {}) {
  const leave = new AbortController();
  const response = await fetch(`${origin}${path}`, {
    signal: leave.signal,
    headers: { cookie: client.cookie ?? '', 'new-api-user': String(client.userId), ...headers },
  });
  const events: TailEvent[] = [];
  let isEnded = false;
  const ended = (async () => {
    let text = '';
    try {
      for await (const piece of response.body ?? []) {
        text += Buffer.from(piece).toString();
        const parts = text.split('\n\n');
        text = parts.pop() ?? '';
        for (const part of parts) {
          const field = (name: string) =>
            part
              .split('\n')
              .find((line) => line.startsWith(`${name}: `))
              ?.slice(name.length + 2) ?? '';
          if (field('event') !== '')
            events.push({ id: field('id'), name: field('event'), logs: field('event') === 'rows' ? JSON.parse(field('data')) : [] });
        }
      }
    } catch {
      // Left.
    }
    isEnded = true;
  })();
  return { status: response.status, headers: response.headers, events, ended, isEnded: () => isEnded, leave: () => leave.abort() };
}

describe.each(oneEngine)('log tail on $kind', (engine) => {
  const desk = useLogDesk(engine);
  const tailOf = (client: TestClient, path: string, headers?: Record<string, string>) => openTail(desk.app.origin, client, path, headers);
  const lastSeen = (id: string) => ({ headers: { 'last-event-id': id } });
  const idsOf = (events: readonly TailEvent[]) => events.flatMap(({ logs }) => logs.map(({ id }) => id));

  it('new rows come by themselves, own ones only and without the channels; nothing that was there', async () => {
    const { user, client } = await desk.someone([{}, {}]);
    const other = await desk.someone();
    const tail = await tailOf(client, '/api/log/self/tail');
    expect(tail.status).toBe(200);
    expect(tail.headers.get('content-type')).toContain('text/event-stream');
    const all = await tailOf(desk.admin, `/api/log/tail?username=${user.username}`);
    await new Promise((resolve) => setImmediate(resolve));
    const added: number[] = [];
    // The stream may not have looked yet at what is there: rows are added until one comes.
    await until(async () => {
      added.push(...(await desk.insertRows(user, [{ channel_id: 7, model_name: 'seen' }])));
      await desk.insertRows(other.user, [{}]);
      return tail.events.length > 0 && all.events.length > 0;
    });
    expect(idsOf(tail.events).every((id) => added.includes(id))).toBe(true);
    expect(tail.events[0]?.logs[0]).toMatchObject({ channel: 0, model_name: 'seen' });
    expect(all.events[0]?.logs[0]).toMatchObject({ channel: 7, user_id: user.id });
    tail.leave();
    all.leave();
    await Promise.all([tail.ended, all.ended]);
  });

  it('goes on where it was: what came while nobody looked comes first', async () => {
    const { user, client } = await desk.someone([{}]);
    const first = await tailOf(client, '/api/log/self/tail');
    await until(async () => {
      await desk.insertRows(user, [{}]);
      return first.events.length > 0;
    });
    first.leave();
    await first.ended;
    const last = first.events.at(-1)?.id ?? '';
    const missed = await desk.insertRows(user, [{}, {}]);
    for (const [path, headers] of [
      [`/api/log/self/tail?after=${last}`, {}],
      ['/api/log/self/tail', { 'last-event-id': last }],
    ] as const) {
      const again = await tailOf(client, path, headers);
      await until(() => missed.every((id) => idsOf(again.events).includes(id)));
      expect(idsOf(again.events)).toEqual(expect.arrayContaining(missed));
      again.leave();
      await again.ended;
    }
  });

  it('looks no further back than an hour, but for who was away for longer', async () => {
    const { user, client } = await desk.someone();
    const before = desk.now() - 7_200;
    const tail = await tailOf(client, '/api/log/self/tail');
    const old: number[] = [];
    await until(async () => {
      old.push(...(await desk.insertRows(user, [{ created_at: before }])));
      await desk.insertRows(user, [{}]);
      return tail.events.length > 0;
    });
    expect(idsOf(tail.events).filter((id) => old.includes(id))).toEqual([]);
    tail.leave();
    await tail.ended;

    const away = await desk.someone([{ created_at: before }, {}]);
    const again = await tailOf(away.client, `/api/log/self/tail?after=${writeCursor({ time: before - 60, id: 1 })}`);
    await until(() => again.events.length > 0);
    expect(idsOf(again.events).toSorted((a, b) => a - b)).toEqual(away.ids);
    again.leave();
    await again.ended;
  });

  it('filters narrow it, wrong ones are refused, and so is who has no right', async () => {
    const { user, client } = await desk.someone();
    const tail = await tailOf(client, '/api/log/self/tail?model_name=wanted');
    await until(async () => {
      await desk.insertRows(user, [{ model_name: 'other' }, { model_name: 'wanted' }]);
      return tail.events.length > 0;
    });
    expect(tail.events.flatMap(({ logs }) => logs).every(({ model_name }) => model_name === 'wanted')).toBe(true);
    tail.leave();
    await tail.ended;
    expect(await client.get('/api/log/tail')).toMatchObject({ status: 403 });
    expect(await desk.app.anonymous().get('/api/log/self/tail')).toMatchObject({ status: 401 });
    expect(await client.get('/api/log/self/tail?type=many')).toMatchObject({ success: false, code: 'invalid_field' });
    // More often than there are places: a refusal takes none.
    for (let turn = 0; turn < 6; turn += 1) {
      const wrong = turn % 2 === 0 ? client.get('/api/log/self/tail?after=zzz') : client.get('/api/log/self/tail', lastSeen('zzz'));
      expect(await wrong).toMatchObject({ success: false, code: 'invalid_field' });
    }
  });

  it('an account has five at once; whoever leaves makes room', async () => {
    const { client } = await desk.someone();
    const open = await Promise.all([1, 2, 3, 4, 5].map(() => tailOf(client, '/api/log/self/tail')));
    expect(open.every(({ status }) => status === 200)).toBe(true);
    expect(await client.get('/api/log/self/tail')).toMatchObject({ status: 429, code: 'tails_open' });
    open[0]?.leave();
    await until(async () => {
      const next = await tailOf(client, '/api/log/self/tail');
      next.leave();
      return next.status === 200;
    });
    for (const tail of open) tail.leave();
  });

  it('strangers of one address do not take the places of administrators, nor all of the users’', async () => {
    const open: Awaited<ReturnType<typeof tailOf>>[] = [];
    const flood = async () => {
      for (let strangers = 0; strangers < 11; strangers += 1) {
        const { client } = await desk.someone();
        const more = await Promise.all([1, 2, 3, 4, 5].map(() => tailOf(client, '/api/log/self/tail')));
        open.push(...more);
        if (more.some(({ status }) => status === 429)) return 'stopped';
      }
      return 'all are in';
    };
    expect(await flood()).toBe('stopped');
    const ofAdmin = await tailOf(desk.admin, '/api/log/tail');
    expect(ofAdmin.status).toBe(200);
    for (const tail of [...open, ofAdmin]) tail.leave();
    const { client } = await desk.someone();
    await until(async () => {
      const next = await tailOf(client, '/api/log/self/tail');
      next.leave();
      return next.status === 200;
    });
  });

  it('ends with its session', async () => {
    const { user, client } = await desk.someone();
    // Those who left before may still have their places.
    let tail = await tailOf(client, '/api/log/self/tail');
    await until(async () => {
      if (tail.status !== 200) tail = await tailOf(client, '/api/log/self/tail');
      return tail.status === 200;
    });
    await desk.app.context.db.collection('sessions').remove({ user_id: user.id });
    await until(() => tail.isEnded());
    expect(tail.events.at(-1)?.name).toBe('end');
  });

  it('does not hold a shutdown up', async () => {
    const scene = await createScene(engine);
    const client = await scene.app.as(scene.user);
    const tail = await openTail(scene.app.origin, client, '/api/log/self/tail');
    scene.app.app.drain();
    await tail.ended;
    expect(tail.isEnded()).toBe(true);
    await scene[Symbol.asyncDispose]();
  });
});
