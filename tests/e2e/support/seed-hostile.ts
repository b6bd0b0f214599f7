// Script in every text that comes from others, written straight into the database, past all checks of input.
import { openDatabase } from '#server/db/open.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { owner } from './furnish.ts';
import { seedTasks } from './seed-tasks.ts';

/** Origin that no page may request. */
export const foreign = 'https://evil.example';
/** Without commas and line breaks, which lists are split at. */
export const markup = `"'><img src=${foreign}/i onerror="harmed=1"><script src="${foreign}/s"></script><svg onload=harmed=1>{{harmed=1}}<b>`;
/** Of what is read as Markdown. */
export const links = `[l](javascript:harmed=1) <a href="java&#9;script:harmed=1">l</a> <iframe srcdoc="<script>top.harmed=1</script>"></iframe> <form action="${foreign}"><button>b</button></form>`;
export const scheme = 'javascript:harmed=1//';
const now = () => Math.floor(Date.now() / 1000);

/** The server that owns the database reads them when it starts next. Returns the numbers of a call, a drawing and a piece of music. */
export async function seedHostile(url: string): Promise<{ call: number; drawing: number; song: number }> {
  const words = `${markup} ${links}`;
  const db = await openDatabase(url);
  try {
    await db.collection('users').patch({ id: 1 }, { set: { display_name: words, email: markup, github_id: markup, telegram_id: markup } });
    await db.collection('users').patch({ id: 2 }, { set: { username: markup, display_name: words, group: markup, oidc_id: words } });
    await db.collection('tokens').patchAll({ user_id: 1 }, { set: { name: words, group: markup, allow_ips: words, model_limits: markup } });
    await db.collection('channels').patch(
      { id: 1 },
      {
        set: {
          name: words,
          tag: markup,
          models: `gpt-4o-mini,gpt-4o,${markup}`,
          group: `default,${markup}`,
          test_model: markup,
          other_info: JSON.stringify({ status_reason: words, status_time: now() }),
        },
      },
    );
    const bad = { base_url: scheme, test_error: words, tested_model: markup, test_time: now(), balance_error: words, model_mapping: words };
    await db.collection('channels').patch({ id: 2 }, { set: { ...bad, name: markup, tag: markup, status: 3, status_code_mapping: words } });
    await db.collection('sessions').patchAll({ user_id: 1 }, { set: { user_agent: words, ip: markup } });
    await db.collection('redemptions').patchAll({ id: { gt: 0 } }, { set: { name: words } });
    const reports = ['channel_update', 'other'].map((name, index) => ({
      id: 900 + index,
      key: `hostile-${name}`,
      user_id: 1,
      event: { code: 'channel_update' as const, channel_id: 1, name: words, status: 3, reason: words },
      state: 'failed' as const,
      attempts: 3,
      next_at: Date.now(),
      created_at: now(),
      notify_type: 'webhook' as const,
      problem: 'http_status' as const,
      status: 500,
    }));
    for (const report of reports) await db.collection('notifications').insert(report);

    const ids = await db.nextIds('logs', 4);
    const named = { user_id: 1, username: markup, token_name: words, model_name: markup, group: markup, content: words, created_at: now() };
    const attempts = [{ channel: 1, channel_name: words, status: 500, start_ms: 0, end_ms: 9, error: words }];
    const other = {
      attempts,
      ending: 'upstream_error',
      upstream_model_name: words,
      is_model_mapped: true,
      dropped_fields: [words],
      reasoning_effort: words,
    };
    const kinds = [
      { type: 2, other, channel_id: 1, quota: 10 },
      { type: 3, other: null },
      { type: 4, other: null },
      { type: 1, other: null },
    ];
    for (const [index, kind] of kinds.entries())
      await db.collection('logs').insert(buildLog({ ...named, ...kind, request_id: `${markup}${index}`, id: ids[index] ?? 0 }));

    const reported = {
      prompt: words,
      prompt_en: `${words} in English`,
      fail_reason: words,
      description: words,
      state: words,
      action: markup,
      progress: markup,
    };
    const button = { customId: scheme, emoji: markup, label: words, type: 2, style: 2 };
    const clip = {
      id: words,
      title: words,
      audio_url: scheme,
      video_url: scheme,
      image_url: `${foreign}/cover.png`,
      metadata: { tags: words, prompt: words },
    };
    const [drawing = 0] = await seedTasks(url, { id: 1, username: owner.username }, [
      {
        ...reported,
        status: 'FAILURE',
        image_url: scheme,
        buttons: JSON.stringify([button]),
        properties: JSON.stringify({ finalPrompt: words }),
        upstream_id: '../../x"\'',
      },
    ]);
    const [song = 0] = await seedTasks(url, { id: 1, username: owner.username }, [
      { ...reported, platform: 'suno', upstream_id: '../../api/user/logout?"', status: markup, data: JSON.stringify([clip]) },
    ]);
    return { call: ids[0] ?? 0, drawing, song };
  } finally {
    await db.close();
  }
}
