// What the form of a video provider is: how videos are ordered from it, how it is asked what became of them, and where they are.
import type { MultipartFile } from '#server/framing/multipart.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { UpstreamQuestion } from '#server/tasks/request-upstream.ts';

/** A picture that a video begins with, or ends with. */
export type VideoPicture =
  /** An address, or a `data:` URL. */
  | { url: string }
  /** As it came in a form. */
  | { file: MultipartFile };

/** What somebody wants, whoever makes it. All of it is said to the provider: what is made has to be what is paid for. */
export interface VideoOrder {
  /** As the provider calls it. */
  model: string;
  /** As its caller calls it. */
  requestedModel: string;
  prompt: string;
  /** Whole. */
  seconds: number;
  width: number;
  height: number;
  /** The first frame, and the last where there are two; more are pictures to go by. */
  pictures: readonly VideoPicture[];
  /** What is not to be seen; undefined: nothing is said. */
  negativePrompt: string | undefined;
  seed: number | undefined;
  /** With sound; undefined: as the model does. */
  hasSound: boolean | undefined;
  /** Which people may be in it, in Veo's words; undefined: as the model does. */
  people?: string | undefined;
}

export type VideoQuestion = Omit<UpstreamQuestion, 'milliseconds'>;

export type OrderVerdict =
  /** What the provider calls it. */
  | { id: string }
  /** It answered with status 200 and took nothing. `status`: what that would be in HTTP. */
  | { refusal: { status: number; code: string; message: string } };

export interface VideoReport {
  state: 'queued' | 'running' | 'succeeded' | 'failed';
  /** From 0 to 100; undefined: it does not say. */
  progress?: number | undefined;
  /** Of the video; undefined: there is none, or it is asked for in another way. */
  url?: string | undefined;
  /** Of a picture of it. */
  poster?: string | undefined;
  /** What the provider says besides, for `locate`. */
  file?: string | undefined;
  reason?: string | undefined;
}

/** Of a task: what a provider is asked about it by. */
export type FollowedVideo = Pick<TaskRecord, 'action'> & {
  upstreamId: string;
  /** As the provider calls it. */
  model: string;
};

/** What a question may depend on. */
export type VideoChannel = Pick<PreparedChannel, 'key' | 'record'>;

export interface VideoFormat {
  /** Seconds of a video whose caller says nothing. */
  usualSeconds: number;
  /** Pixels of the shorter side that it has: a size between them would be made, and not be paid for, as another one. Missing: it takes sizes as they are. */
  heights?: readonly number[];
  /** Pictures have to be sent: it takes no addresses. */
  fetchesNoPictures?: true;
  /** @throws {AppError} `invalid_request` for what the provider has no place for */
  order(order: VideoOrder, channel: VideoChannel): VideoQuestion | Promise<VideoQuestion>;
  /** Null: that is nothing that can be understood. */
  readOrder(answer: unknown): OrderVerdict | null;
  question(video: FollowedVideo, channel: VideoChannel): VideoQuestion;
  /** Null: that is no answer to it. */
  readAnswer(answer: unknown): VideoReport | null;
  /** A new one by another prompt; missing: the provider makes none from its own. */
  remix?(upstreamId: string, prompt: string): VideoQuestion;
  /** Missing: its address was told, and is what there is. `variant`: `video` or a kind of picture. Null: there is no such thing. */
  content?(upstreamId: string, variant: string, channel: VideoChannel): VideoQuestion | null;
  /** What `content` answers is JSON, and the video is the Base64 of the member of that name. */
  contentMember?: string;
  /** Missing: its address was told. What is asked where a video lies by what the report called its `file`, and what that answers. */
  locate?: { question(file: string): VideoQuestion; read(answer: unknown): string };
  /** Addresses of videos are the provider's own, and want the channel's key. */
  isBehindKey?: true;
  /** Missing: it keeps nothing that could be deleted. */
  remove?(upstreamId: string): VideoQuestion;
}
