// Wire format of a video provider: creating videos, polling, and downloading.
import type { MultipartFile } from '#server/framing/multipart.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { UpstreamQuestion } from '#server/tasks/request-upstream.ts';

/** First or last frame of a video. */
export type VideoPicture =
  /** URL or `data:` URL. */
  | { url: string }
  /** File of a multipart form. */
  | { file: MultipartFile };

/** A video request independent of the provider. All of it is sent: the result must match what is paid for. */
export interface VideoOrder {
  /** Upstream model name. */
  model: string;
  /** Model name of the request. */
  requestedModel: string;
  prompt: string;
  /** Whole seconds. */
  seconds: number;
  width: number;
  height: number;
  /** The first frame, and the last if there are two; more are references. */
  pictures: readonly VideoPicture[];
  /** Undefined if not set. */
  negativePrompt: string | undefined;
  seed: number | undefined;
  /** If undefined, the model's default. */
  hasSound: boolean | undefined;
  /** Allowed people, in Veo's terms; if undefined, the model's default. */
  people?: string | undefined;
}

export type VideoQuestion = Omit<UpstreamQuestion, 'milliseconds'>;

export type OrderVerdict =
  /** Provider's id. */
  | { id: string }
  /** Error with status 200; nothing was created. `status`: equivalent HTTP status. */
  | { refusal: { status: number; code: string; message: string } };

export interface VideoReport {
  state: 'queued' | 'running' | 'succeeded' | 'failed';
  /** From 0 to 100; undefined if not reported. */
  progress?: number | undefined;
  /** URL of the video; undefined if there is none, or another request gets it. */
  url?: string | undefined;
  /** URL of a poster image. */
  poster?: string | undefined;
  /** Provider's file id, for `locate`. */
  file?: string | undefined;
  reason?: string | undefined;
  /** The provider reports the end of its work and no video. */
  isEmpty?: true;
}

/** Facts of a task that polling uses. */
export type FollowedVideo = Pick<TaskRecord, 'action'> & {
  upstreamId: string;
  /** Upstream model name. */
  model: string;
};

/** Channel data that requests may use. */
export type VideoChannel = Pick<PreparedChannel, 'key' | 'record'>;

export interface VideoFormat {
  /** Default duration in seconds. */
  usualSeconds: number;
  /**
   * Supported pixels of the shorter side: other sizes would be rounded, and not match the price. If undefined, any
   * size.
   */
  heights?: readonly number[];
  /** Pictures must be sent inline: URLs are not supported. */
  fetchesNoPictures?: true;
  /** @throws {AppError} `invalid_request` for fields that the provider does not support */
  order(order: VideoOrder, channel: VideoChannel): VideoQuestion | Promise<VideoQuestion>;
  /** Returns null for an unreadable response. */
  readOrder(answer: unknown): OrderVerdict | null;
  question(video: FollowedVideo, channel: VideoChannel): VideoQuestion;
  /** Returns null for an unreadable response. */
  readAnswer(answer: unknown): VideoReport | null;
  /** Creates a video from another one and a new prompt; undefined if not supported. */
  remix?(upstreamId: string, prompt: string): VideoQuestion;
  /**
   * Downloads the content; if undefined, the reported URL is the only source. `variant`: `video` or a kind of image.
   * Returns null if it does not exist.
   */
  content?(upstreamId: string, variant: string, channel: VideoChannel): VideoQuestion | null;
  /** The response of `content` is JSON, with the video as Base64 in this member. */
  contentMember?: string;
  /** Resolves the reported `file` to a URL; if undefined, the URL was reported. */
  locate?: { question(file: string): VideoQuestion; read(answer: unknown): string };
  /** Video URLs are the provider's, and need the channel's key. */
  isBehindKey?: true;
  /** Deletes the video; undefined if the provider cannot. */
  remove?(upstreamId: string): VideoQuestion;
}
