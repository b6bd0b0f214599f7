// Drawings and music of the last days, written straight into the database of a running server.
import { openDatabase } from '#server/db/open.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { buildTask } from '#tests/support/build-task.ts';

interface Owner {
  id: number;
  username: string;
}
type Fields = Omit<Partial<TaskRecord>, 'id'>;

/** Writes rows of one owner, each some minutes before the one before. Returns their numbers. */
export async function seedTasks(url: string, owner: Owner, rows: readonly Fields[]): Promise<number[]> {
  const db = await openDatabase(url);
  try {
    const ids = await db.nextIds('tasks', rows.length);
    const now = Math.floor(Date.now() / 1000);
    const records = rows.map((fields, index) => {
      const created = fields.created_at ?? now - 40 - index * 780;
      const row = { submit_time: created * 1000, user_id: owner.id, username: owner.username, ...fields, created_at: created };
      return buildTask({ ...row, id: ids[index] ?? 0 });
    });
    await db.write(records.map((insert) => ({ insert, into: 'tasks' as const })));
    return ids;
  } finally {
    await db.close();
  }
}

/** Sets the upstream's report on one of them. */
export async function changeTask(url: string, id: number, set: Fields): Promise<void> {
  const db = await openDatabase(url);
  try {
    await db.collection('tasks').patch({ id }, { set });
  } finally {
    await db.close();
  }
}

const buttons = JSON.stringify(
  ['U1', 'U2', 'U3', 'U4', 'V1', 'V2', 'V3', 'V4'].map((label) => ({ customId: `MJ::JOB::${label}`, emoji: '', label, type: 2, style: 2 })),
);

const prompts = [
  'a lighthouse at low tide, morning fog, gouache on rough paper --ar 1:1 --v 6',
  'isometric harbour with three cranes, paper cut, soft shadows',
  'portrait of a ferry pilot, film grain, 85mm',
  '灯塔与归帆，水墨，大面积留白',
  'tidal gate machinery, engraving, cross section, annotated',
  'a market on stilts above the mud, evening lamps',
];

function finished(index: number, seconds: number): Fields {
  const created = Math.floor(Date.now() / 1000) - 900 - index * 7_300;
  return {
    created_at: created,
    prompt: prompts[index % prompts.length] ?? '',
    action: ['IMAGINE', 'UPSCALE', 'VARIATION', 'ZOOM'][index % 4] ?? 'IMAGINE',
    quota: 50_000,
    channel_id: 1,
    code: 1,
    upstream_id: `17${created}${index}`,
    start_time: created * 1000 + 1_800,
    finish_time: created * 1000 + seconds * 1000,
    image_url: `https://cdn.example/${created}.png`,
    buttons,
  };
}

/** One of each state, then finished ones. */
export const drawings: readonly Fields[] = [
  {
    prompt: prompts[0] ?? '',
    status: 'IN_PROGRESS',
    progress: '43%',
    quota: 50_000,
    upstream_id: '1790000001',
    image_url: 'https://cdn.example/half.png',
  },
  { prompt: prompts[1] ?? '', status: 'SUBMITTED', progress: '0%', quota: 50_000, upstream_id: '1790000002' },
  {
    prompt: prompts[2] ?? '',
    status: 'FAILURE',
    fail_reason: 'Banned prompt detected: the word is not allowed by the provider. 提示词被拒绝。',
    quota: 50_000,
    refunded_quota: 50_000,
    upstream_id: '1790000003',
  },
  { prompt: prompts[4] ?? '', action: 'INPAINT', status: 'MODAL', progress: '0%', upstream_id: '1790000004' },
  ...Array.from({ length: 9 }, (_, index) => finished(index, [38, 74, 52, 131, 47][index % 5] ?? 40)),
];

const clip = (id: string, title: string) => ({
  id,
  title,
  audio_url: `https://cdn.example/${id}.mp3`,
  video_url: `https://cdn.example/${id}.mp4`,
  image_url: `https://cdn.example/${id}.jpeg`,
  status: 'complete',
  metadata: {
    duration: 187.4,
    tags: 'sea shanty, accordion, warm',
    prompt: '[Verse]\nThe water takes the stair again\nAnd leaves it with the moon\n\n[Chorus]\nHold the gate',
  },
});

export const music: readonly Fields[] = [
  {
    platform: 'suno',
    action: 'MUSIC',
    status: 'IN_PROGRESS',
    progress: '60%',
    prompt: 'a slow shanty about a lock keeper',
    quota: 50_000,
    upstream_id: 'b1f0-running',
  },
  {
    platform: 'suno',
    action: 'MUSIC',
    prompt: 'a shanty about the turning tide',
    quota: 50_000,
    upstream_id: 'b1f0-done',
    finish_time: Date.now() - 600_000,
    data: JSON.stringify([clip('tide-1', 'Turning of the Tide'), clip('tide-2', 'Turning of the Tide (reprise)')]),
  },
  {
    platform: 'suno',
    action: 'LYRICS',
    prompt: 'words for a ferry',
    quota: 5_000,
    upstream_id: 'b1f0-words',
    data: JSON.stringify({
      title: 'Ferry at Six',
      text: '[Verse]\nThe bell is wet, the rope is long\n[Chorus]\nFerry at six',
      status: 'complete',
    }),
  },
  {
    platform: 'suno',
    action: 'MUSIC',
    status: 'FAILURE',
    prompt: 'noise',
    fail_reason: 'Insufficient credits upstream',
    quota: 50_000,
    refunded_quota: 50_000,
    upstream_id: 'b1f0-failed',
  },
];

const order = (seconds: number, size: string) => ({
  platform: 'video' as const,
  model: 'kling-v2-6',
  properties: JSON.stringify({ seconds, size }),
});

/** One that runs, one that is done with a link, one that only API clients can have, and one that has failed. */
export const videos: readonly Fields[] = [
  {
    ...order(5, '1280x720'),
    action: 'TEXT_TO_VIDEO',
    status: 'IN_PROGRESS',
    progress: '40%',
    prompt: 'the tide turns at the lock',
    quota: 250_000,
    public_id: 'video_running',
  },
  {
    ...order(10, '1080x1920'),
    action: 'IMAGE_TO_VIDEO',
    prompt: 'a ferry leaves the harbour, seen from the stairs of the lighthouse, in the first light of a long winter morning',
    quota: 1_250_000,
    public_id: 'video_q8Zb0fJmVx2cLr7TtK1yWdN4',
    finish_time: Date.now(),
    image_url: 'https://cdn.example/ferry.png',
    data: '{"url":"https://cdn.example/ferry.mp4"}',
  },
  {
    ...order(8, '1792x1024'),
    action: 'REMIX',
    prompt: 'the same at dusk',
    quota: 2_000_000,
    public_id: 'video_remix',
    finish_time: Date.now(),
    data: '{}',
  },
  {
    ...order(5, '1280x720'),
    action: 'TEXT_TO_VIDEO',
    status: 'FAILURE',
    fail_reason: '上游称已完成，但没有给出视频',
    prompt: 'fog',
    quota: 250_000,
    refunded_quota: 250_000,
    public_id: 'video_failed',
  },
];
