import type { TaskRecord } from '#server/db/records/task.ts';
import { midjourney } from './midjourney.ts';
import type { TaskPlatform } from './platform.ts';
import { suno } from './suno.ts';
import { video } from './video.ts';

export const taskPlatforms: Readonly<Record<TaskRecord['platform'], TaskPlatform>> = { midjourney, suno, video };
